// Package model is a drive's performance and power as a calculation: IO events
// and power commands go in, volts and amperes of its rails and the truth about
// them come out. It is pure: every time is a host time in nanoseconds given by
// the caller, nothing is read from a clock, no goroutine is started.
//
// # The problem
//
// A measurement is proved by a drive whose truth is known. So the samples that a
// module would have taken (Fill) and the truth (Truth, Inrushes, IdleMeans) must
// rest on one waveform, for any start, any averaging and any order of calls, and
// every IO that was served must be in it exactly once.
//
// # How it works
//
// Time is cut into cells of 20 µs. In each cell the volts and amperes of a rail
// are constant; samples are means over cells, truth is a sum over cells.
//
//	V = V0 − R·I,  I = C·dV0/dt + g·V0 + start-up or idle current + work
//
// V0 is the supply behind its source resistance R. Work is power: the idle noise, what
// the drive does on its own, and the energy of IOs. It is added to the power that the rail draws without it
// and solved for the current, so the joules of an IO are in V·I to the last
// digit, whatever else is drawn.
//
// Each IO leaves its energy as a flat pulse that begins at its service plus the
// drive's lag; what a write programmes is drawn until it has left the write cache. A
// pulse never changes a cell that Fill has already given out: an IO that is reported
// late draws its energy from the next cell on. Energies of IO are whole femtojoules,
// so that what was added up in another order is the same to the last digit.
//
// A flash that was written more than FreshShare of its capacity must collect garbage:
// see Flash. Its state is a function of the IOs and their order, and of the seed.
//
// Without IO a settled drive stays the same for long stretches: in one idle state, with
// the same tasks at work. Their joules are known in closed form. Which stretches there
// are follows from the moments of IO (see rests), the seed and the power commands.
//
// # Terms
//
//	cell     20 µs of constant volts and amperes
//	life     from the moment the supply of one rail crosses the undervoltage
//	         lock-out (UVLO) upwards, while the other rail is at half its volts or
//	         more, to power-off or to the first rail's crossing downwards
//	settled  the start-up is over: only idle current, its extras, and IO
//	extras   what an idle drive draws above its floor: a slow noise, and a bump
//	         every second; the rails' IdleMeanW includes them
//	task     what it does on its own, on top of that: patrol reads, media scans
//	state    of less power, after a time without IO; active idle is none
//	scale    divides IOPS and MB/s and multiplies the service times and the energy
//	         of each IO, so that watts and ratios stay what they are on a host that
//	         can't carry the full rate
//	fresh    all pages that are written are free: one programme for each
//	cliff    when that ends; the write amplification rises
//	burst    garbage collection that the host notices
//	ledger   counts and joules of each millisecond that had IO, kept for the run
//	spell    a stretch in which IO draws current, breaks below 100 ms included
//
// # Memory
//
// The ledger takes 36 bytes for each millisecond of a second that had IO (130 MB
// an hour), and nothing for seconds without. The ring of IO energy is 1 MiB, the
// start-up tables are 16 bytes for each 20 µs until the drive has settled (2.6 MB for
// 3.2 s), a pause in which it entered an idle state takes 16 bytes, the map of what holds data a bit for 4 KiB of the
// drive's capacity, but 16 MiB at most. A spell takes 16 bytes. What is told of a
// start-up is found in one walk over its cells that keeps running sums as far back as
// the longest window of a peak, a minute at most: 120 MB then, 2 MB for a second.
//
// # Errors
//
// A broken Config is an error of New that names the field. ErrNotReady says that
// the drive has no power or is still starting; nothing else can fail. A rail that
// the drive does not have reads as an open channel, noise around zero, since a
// real channel without a wire never reads a flat 0.
package model
