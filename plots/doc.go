// Package plots draws what the analyses found: waveforms and tables in, pictures
// out, as PNG and SVG.
//
// # The problem
//
// A picture of a drive's power is published far from the run that it came from,
// scaled to half its size, and read as proof. So it says by itself what it shows
// (title, units, limits, footer with drive, module, sampling and time), it never
// hides a short peak, it never bridges a hole in the data, and it says when the
// drive was simulated. It also must not fail a run: a trace may be empty, flat,
// one point long or full of NaN, and the span may be a second or a month.
//
// # Terms
//
//	picture   what a constructor returns: drawn when it is encoded or saved
//	sheet     what surrounds the panels: title, marks, legend, notes, footer
//	panel     a frame with its axes and traces
//	band      the area from min to max of every column of a waveform
//	left out  a column without a finite value: the line breaks there, a note counts it
//	badge     the SIMULATED / SCALED mark
//
// # How it is drawn
//
// Frames, axes and labels are laid out here on the library's canvas rather than by
// its Plot type: stacked panels share their edges, a second axis stands on the
// right, labels are measured so that none is cut or meets another, and the fonts
// belong to the picture instead of to global defaults. No more columns are drawn
// than the frame has pixels: wider waveforms are reduced, minima and maxima kept.
//
// The time axis counts from the start that the caller chose, so a picture is the
// same in every time zone; the footer carries UTC.
//
// # Errors
//
// No data is an error that wraps ErrNoData and names what is missing; no file is
// left behind. A panic of the drawing libraries becomes an error, too.
package plots
