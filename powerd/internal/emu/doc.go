// Package emu runs the drive twin and the emulated module in a process of their
// own, and asks it afterwards what really happened.
//
// # The problem
//
// An emulation inside the process that measures would share its scheduler: a
// stall would stop the instrument together with its reader, and no sample could
// ever be lost. And a drive served as a file by a process that is killed must
// not leave a mount or a hanging reader behind.
//
// So `powerd run --twin` starts `powerd sim --twin`: the child serves file and module,
// and cleans up when its standard input ends, however its parent died.
//
// # Terms
//
//	request   one JSON object a line to the child: what happened in these windows?
//	reply     one JSON object a line from it; the first says port and target
//	truth     what the model did, on its own time; never made from samples
//
// # truth.json
//
// Times are host CLOCK_MONOTONIC in ns where a key ends in _mono_ns; windows are those
// that results.json names.
//
//	scale      the drive's IOPS are divided, its joules of IO multiplied by it
//	clock      of the main stream: offset_s from the run's start to stripe 0, drift_ppm,
//	           stripes, overrun; clocks[] of every stream
//	idle       5v_w, 12v_w, total_w: means over the results' idle window
//	cycles[]   each power-up of the results: on_, first_ (1 % of nominal), uvlo_ and
//	           end_mono_ns, uvlo_v, ready_s, energy_to_ready_j; rails{5v,12v} and total
//	           with peaks[] per window, above[] of the limits that were judged
//	           (first_s, last_s, total_s), charge_c and energy_j. Seconds count from
//	           first_mono_ns. ready_s is absent where the drive lost its power before,
//	           energy_to_ready_j where end_mono_ns came before. The instrument's noise
//	           is not in them: a raw peak of the results is higher
//	inrush     the first of cycles, or the first power-up that the results have nothing of
//	steps[]    each load: window, energy_j, mean_w, rails_w, ios, reads, writes, bytes;
//	           first_io_ and last_io_mono_ns, first_current_ and last_current_mono_ns,
//	           which may lie beside the window. edge_ios: so many IOs share a
//	           millisecond with an edge, and were split in proportion
//	windows[]  the same of every other window: idle.NAME, record.NAME, marks.NAME
//	edges[]    each change of a rail's supply: from_v to to_v in a straight line
//	intervals  reads, writes, bytes and energy_j of each second that had IO
//	late_ios   IOs of the drive's life that drew their joules after their time, for their
//	           samples had been given out: 0
//	losses[]   what module, line or bench did not deliver, and why: stream, from_stripe,
//	           stripes. What nobody made or delivered any more of a stream counts up to
//	           its stop, the next stream, or the end of its client
//
// # Errors
//
// The child writes one line to standard error and leaves with a code; Start
// returns that line. Everything that it could not clean up is an error of Close.
package emu
