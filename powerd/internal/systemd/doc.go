// Package systemd tells the service manager how powerd is: that it is ready, that it is
// stopping, and, where the manager wants to know, that it still lives.
//
// # The problem
//
// A manager that starts what needs powerd must not do so before the modules are being
// read, and one that is asked to watch must not be told "alive" by a timer that goes on
// while everything else hangs.
//
// # Errors
//
// Without a manager (no NOTIFY_SOCKET) every call does nothing.
package systemd
