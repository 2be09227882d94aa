// Package results is what a run concluded: the schema powerd.results/1, and the
// one computation that fills it, from the files of a run alone. `powerd run` uses
// it after every step and `powerd analyze` any time later; both give the same
// bytes for the same folder.
//
// # Terms
//
//	meta        what was known before the first sample: who, which drive, which suite
//	mark        an event in the capture that says where a step begins and ends
//	step        one entry of the plan; a cell of a matrix is a step
//	round       a pass over the cells of a load or matrix. Where a rule judges them, the
//	            cells of the steady ones are added up and stand beside those of each round
//	leg         what one powerd does of a run: one that was broken off and went on has several
//	            (Leg). Figures are of the last time that a step was done, and never of one that
//	            only brought the drive to its state
//	record      what the drive drew in a step in which somebody else loaded it
//	beacon      bursts of reads by powerd between two steps, with its stamps; the edges of
//	            power at their starts place the stream, see package align
//	user mark   a line of engine/marks.jsonl, by another shell: something began or ended
//	rate        how far off the module's clock was in an earlier run, as the meta has it: what
//	            is remembered meanwhile changes no results
//	uncounted   stripes that vanished or came twice without the link saying so. From there
//	            on stripes are numbered as if it had, so that coverage falls by them
//	statistics  what the kernel counted on the target (engine/blockstat.csv): the IO of
//	            records and marks, the host's IO in idle steps, and what the engine's
//	            own counts are held against
//
// # Rules
//
// Keys are only ever added. A value that was not measured or that its samples do
// not support is absent, and its reason stands under withheld. No NaN, 0 or −1
// stands for unknown.
//
// # Errors
//
// A folder that is no run is an error. A run that was cut short is not: what can
// be concluded is, and the rest is withheld. A run whose capture does not say how it
// ended goes on while its powerd holds the folder; afterwards it is "interrupted",
// with the reason that nothing was said of its end.
package results
