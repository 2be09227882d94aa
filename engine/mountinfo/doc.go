// Package mountinfo reads the kernel's table of mounts, /proc/PID/mountinfo.
//
// # The problem
//
// What a drive is used for, and whether a file is a served twin's, both stand in this
// table, whose lines have a varying number of fields and escape what separates them.
//
// # Errors
//
// A line that is no mount's is passed over. A table that can't be read is the reader's
// error.
package mountinfo
