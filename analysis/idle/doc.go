// Package idle says what a drive draws when nothing is asked of it, and whether
// that figure can be trusted.
//
// # The problem
//
// Idle is where the numbers are small: a meter that is fine at 6 W may have no
// digits left at 0.02 A; an adapter in between may draw more than a drive that
// sleeps; a drive may still be busy with what came before, sink to a lower state
// half-way, or be woken once a minute by somebody who asks how it is. And a mean of
// correlated samples is less certain than their number suggests.
//
// # Terms
//
//	coverage    share of the window with samples of all rails in use; below the
//	            required one (99 % unless asked otherwise) nothing but it is given
//	resolution  the module's smallest step of current, from its profile; a rail
//	            whose mean lies below one step is withheld. Steps finer than 0.5 mA
//	            are never in the way
//	settled     the running means over a minute lie within 1 % of one another for
//	            3 min (Rule has other values). settled_after_s counts from the step's
//	            start to the beginning of the first such stretch
//	level       a power at which the window stays for runs of seconds. Changes stand
//	            out between six seconds before and six seconds after: five times the
//	            spread inside them, and a twentieth of the power. Where there are
//	            several, each is a Result of its own and there is no mean of all; the
//	            seconds beside a change are of none
//	pulses      bumps that come when they are due, within a hundredth of their period:
//	            what stands six spreads out of the noise of cells of 1 ms, or of means
//	            of 8 and 64, in at least four fifths of the times. Whether a drive
//	            does that by itself or is polled, power cannot tell
//	gross       as measured: mean_w
//	zero        what module and fixture read without a drive, a current; zero_w is at
//	            the volts of the window
//	net         gross less zero; never without its name
//	host IOs    what the kernel counted on the target inside the window
//
// # What ± means
//
// u95_noise_w is the half-width of the mean's 95 % interval from its own scatter (by
// blocking, see package window, after regular pulses were taken out), from how many
// pulses the borders may leave inside, and, for the total, from where the borders lie.
// u95_w has the module's accuracy with it, the rails' taken as independent. In
// net_u95_w the accuracy's offset of amperes is replaced by the zero's own ±.
//
// Percentiles are of stripes, from a histogram with 256 steps an octave: right to
// 0.3 % of the value. On a polled link they are of readings. Levels have none.
//
// # Errors
//
// A window that ends before it starts, or blocks that cannot be read. What the
// samples cannot support is in Withheld, with the reason.
package idle
