// Package twinfile reads twin files: drives to emulate, as data.
//
// # The problem
//
// What an emulated drive is must be readable by who trusts a figure that comes from
// it, and a new drive must be a file and no program. A slip in such a file (ms for
// µs, a plateau that begins before the last one ends) gives a drive that works and
// is wrong, so every key carries its unit in its name and has a range.
//
// # Terms
//
//	twin file  a YAML file: supply, rails, start-up, idle, IO and flash of a drive;
//	           configs/twins/seagate-1200-400.yaml explains each key
//	extends    the twin file that this one starts from; what it names itself replaces
//	           what stands there, a list as a whole
//	group      a key with keys below it; one that is there must be complete
//
// # Errors
//
// Reading is strict. All faults of a file come together, each with file:line, key,
// value and what is allowed. What is wrong between keys (idle power above the power
// limit, overlapping plateaus) is judged by the model, and told at the key that it
// begins with. A twin that does not exist lists those that do.
package twinfile
