// Package seedtest holds the figures of powerd against the truth, for many seeds of each
// built-in twin, in virtual time. It has tests only.
//
// # The problem
//
// A figure that states ± U claims that the truth lies inside in 95 of 100 cases. One run
// against one truth cannot tell whether that is so: a U that is too small is found out
// once in a while, one that is far too large never. So each twin is powered up, left
// idle and loaded with many seeds, its module wrong by another amount each time; the
// analyses see the samples, the model says what happened, and two things are asked of
// each figure: is the truth inside often enough, and is U no larger than it must be?
//
// # Terms
//
//	seed      of the drive's noise, of the module's errors and clock, and of the IO
//	figure    a value with a U: "idle.5v.mean_w", "inrush.12v.peak_1ms_a"
//	truth     the model's: over the same window, or the long-run mean where U is that of
//	          a mean of which the window is a sample
//	inside    |value − truth| ≤ U
//	ratio     median U / root mean square of value − truth; 2 is right for a normal error
//
// # What is drawn
//
// Of each channel one error e, evenly between −1 and 1: it reads e·(gain·x + offset)
// beside x, gain and offset as the module's accuracy has them. The clock's rate within
// 100 ppm; the map from stripes to host time is wrong by an even draw within its own U.
// The borders of the engine's window stray normally, 95 of 100 within what it states.
//
// # The bars
//
// With 200 seeds (POWERD_TEST_LONG=1) the truth is inside at least 183 times, and the
// ratio is 4 at most. If U covers 95 of 100, fewer than 183 have a probability of 1 in
// 70 for one figure. The 8 seeds of an ordinary run are held to 5 of 8 (fewer: 1 in 2700)
// and a ratio of 12: the rms of 8 normal errors is a third of what it should be once in
// 1000 times. A figure may be withheld always, as the start voltage of a fast ramp is, or
// in one case of twenty.
package seedtest
