// Package analysis is the contract for what is concluded from samples: windows,
// tables and waveforms. Each child answers one question. Everything here is
// pure: no files, no network, no log, no clock; a warning is data.
//
// # Terms
//
//	window    a half-open interval of host time that a figure speaks of
//	coverage  share of the window that has samples, 0 … 1
//	figure    a value with its unit, coverage, and where it can be stated, U95:
//	          the half-width of its 95 % interval
//	withheld  a figure that its samples cannot support: absent, with the reason
//
// # Rules
//
// Missing time is unknown: never 0, never the last value. Energies are sums of
// averaged samples. Efficiency is a ratio of sums over one window. No constant of
// a drive or of an emulation appears here: what is needed is estimated from the
// trace or bounded.
//
// # Errors
//
// Samples that cannot answer are not an error but a Withheld. An error is broken
// input only: an iterator that failed, a window that ends before it starts.
package analysis
