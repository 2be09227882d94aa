// Package resultstest makes the folders of runs whose truth is known, for the tests
// of what is concluded from them and made of it.
//
// # The problem
//
// What a run concluded can be tested only on a run of which every watt and every
// stripe's time is known. A real module knows neither. Here a run is made in virtual
// time: rails that carry what a function says, on a clock with a stated rate and delay,
// marks where they are asked for, and an engine that left what it is told to have left.
//
// # Terms
//
//	recording  the folder of a run that is being made
//	source     one stream of its module: period, clock, delay, losses, rails
//	second     of host time since the start of the run, which is StartNs
//
// # Errors
//
// A folder that cannot be made fails the test.
package resultstest
