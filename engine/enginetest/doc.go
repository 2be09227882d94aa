// Package enginetest holds what every IO engine must pass, and an engine made
// of script for the tests of those who use one.
//
// # The problem
//
// An engine is trusted with a drive and with a figure. That it creates nothing
// when it only looks, that a cancelled job still says what it did, and that the
// files alone give the same result again can't be seen from its signatures. And
// whoever runs engines needs one in tests that costs no time and no drive.
//
// # Terms
//
//	conformance   Run: the promises of package engine, tried on a real engine
//	script        what Fake answers to a job
//	virtual time  a Clock that moves only when a job "runs"
//
// # Errors
//
// Run fails the test that it is given. Fake returns what its script says.
package enginetest
