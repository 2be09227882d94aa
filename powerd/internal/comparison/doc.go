// Package comparison reads the results of runs, of whatever age, and lays them side by
// side for people and programs.
//
// # The problem
//
// A difference between two drives is a difference between two drives only where all else
// is alike: module and calibration, suite, sampling, fio, host. Somebody who compares a
// run of last year with one of today does not remember. So what differs beside the drive
// stands first, and an emulated drive is not held against a real one unless that is asked
// for.
//
// # Terms
//
//	subject     a run that is compared: results.json, the folder that it is in, or the name
//	            of a run in the folder of runs
//	condition   what a figure may depend on beside the drive, as the results tell it; what
//	            older results do not tell is "not told"
//
// What is compared, and what ± and verdicts mean, package analysis/compare says. Nothing
// but results.json is read of a run, and nothing is written into its folder.
//
// # Errors
//
// A subject that cannot be read, subjects that may not be compared, and a duty that names
// no cell are the user's to mend. A picture that cannot be drawn becomes a warning.
package comparison
