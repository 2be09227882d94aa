// Package quarchtest tests power module drivers: a conformance suite that every
// driver passes, and a fake module to test them against.
//
// # The problem
//
// Whatever measures with a module relies on rules that no type states: blocks
// that follow each other, memory that is lent, an end without an error, and a
// drive that is never touched by looking at it. A driver that breaks one of them
// is found out weeks later, in a figure.
//
// # Terms
//
//	subject   an opened module under test, with what it was sent
//	fake      a module made of memory, with faults on demand
//	bubble    virtual time of testing/synctest
//
// # Errors
//
// The suite fails its test; the fake has none.
package quarchtest
