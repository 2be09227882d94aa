// Package suite turns a suite file into an ordered plan of steps.
//
// # The problem
//
// A suite runs for minutes or days and may wear or power-cycle a drive. What it
// will do has to be known, and refused, before it begins: a misspelt key that is
// passed over, or a matrix that expands in another order than its reader thinks,
// costs a day.
//
// # Terms
//
//	suite   a YAML file: name, steps
//	step    one entry: power_cycle, idle, load, matrix, record, demand, recovery, command, or purge
//	matrix  a load with lists: expanded into one load a cell, the lists of `over` in
//	        the order rw, bs, read_pct, entropy, qd, jobs, the last one fastest, or as
//	        `order` says
//	range   the share of the drive that a load goes over: all of it unless it says
//	entropy of the data that is written, in percent: 100 is random, 0 all zeros
//	trial   a run whose steps are shorter than written: on an emulated drive by `on_twin`,
//	        anywhere by a scale of time
//	demand  a load whose demand rises: one load for each
//	recovery  a load with pauses, beside the same without
//	command  a program of the drive's own; purge, one that erases it
//	setting  what a command of `vary` makes, and all that follows is done under
//	record  time in which powerd watches what somebody else does to the drive
//	cycle   one power-up of a power_cycle step; several are steps of their own,
//	        power-up-1, power-up-2 …, each with the off time before it
//	round   one pass over all cells of a load or matrix, every one of them a run of the
//	        engine of its own: rand-4k-r01 …
//	plan    the steps after expansion, each with a name of its own
//
// A suite file:
//
//	name: quick
//	title: One minute of random reads
//	steps:
//	  - name: idle
//	    kind: idle
//	    duration: 30s
//	    settle: {mean: 10s, within_pct: 2, for: 1m, at_most: 5m}
//	  - name: rand-4k
//	    kind: matrix
//	    duration: 5s
//	    ramp: 500ms
//	    fio: {rw: randrw, bs: 4k}
//	    over: {read_pct: [100, 70, 0], qd: [1, 8, 32]}
//
// An idle step measures for 5 min unless it says otherwise. With `settle` it waits first
// until the drive has settled: until the means of `mean` have stayed within `within_pct`
// for `for`, at most `at_most`; `settle: true` stands for 1m, 1, 3m and 15m.
//
// Rounds compare a drive with itself: `rounds: 100, fresh_rounds: 5, last_rounds: 5` holds
// the sums over the last five against those over the first five. `until_written: 4` begins
// no further round once four times the drive's capacity has been written. `on_twin` says
// what a step does otherwise on an emulated drive, whose capacity is small:
//
//   - name: write
//     kind: load
//     duration: 1m
//     rounds: 150
//     fresh_rounds: 5
//     last_rounds: 5
//     until_written: 4
//     on_twin: {duration: 5s, rounds: 36, fresh_rounds: 2, last_rounds: 5}
//     fio: {rw: randwrite, bs: 4k, qd: 32}
//
// Emulated drives start in three seconds or in ten: `on_twin: {duration: 6s, after_ready:
// 2s}` lets a power cycle last 6 s, or until 2 s after the drive is ready if that is later,
// in whole seconds.
//
// `until_steady` begins no further round once a rule of analysis/steady calls the cells that
// it names steady, all of them in the same rounds; there are 25 at most. Figures are then
// those of these rounds. `until_written` of a load without rounds ends that load:
//
//   - name: precondition
//     kind: load
//     duration: 6h
//     until_written: 2
//     fio: {rw: write, bs: 128k}
//   - name: iops
//     kind: matrix
//     duration: 1m
//     until_steady: {profile: snia, of: [{bs: 4k, read_pct: 0}, {bs: 64k, read_pct: 65}]}
//     fio: {rw: randrw, qd: 32}
//     order: [read_pct, bs]
//     over: {read_pct: [65, 0], bs: [64k, 4k]}
//
// A demand asks a load for one rate after the other, a recovery loads the drive between
// pauses: here 360 times 5 s after 5 s, then as long without pauses, then the same after 50 s.
//
//   - name: ramp
//     kind: demand
//     duration: 30s
//     demand_iops: {from: 2000, to: 120000, by: 2000}
//     fio: {rw: randread, bs: 4k, qd: 128}
//   - name: hir
//     kind: recovery
//     duration: 5s
//     bursts: 360
//     pauses: [5s, 50s]
//     fio: {rw: randwrite, bs: 4k, qd: 32}
//
// A command runs a program, a purge one that erases the drive; on an emulated drive a purge
// discards its file. With `vary` all steps that follow, up to the next command with settings,
// are done once a setting, under names that carry it, and a setting that fails takes its steps
// with it. `restore` names the setting that is made at the end, however the run ends.
//
//   - {name: purge, kind: purge, argv: [nvme, format, "{device}", --ses=1, --force]}
//   - name: limit
//     kind: command
//     argv: [nvme, set-feature, "{device}", --feature-id=2, "--value={setting}"]
//     vary: {settings: [{name: "0"}, {name: "1"}], restore: "0"}
//
// A suite may stand over another: `extends: pts-iops` takes all of that suite, and what
// stands here in its place, key by key in steps of the same name; steps of other names come
// behind. A key without a value (~) is taken away. A step `- include: NAME` stands for the
// steps of that suite. NAME is built in, or a file, by its path from the one that names it.
// What is kept of such a suite, and what its SHA-256 is of, is one file that holds it all.
//
// `precondition: 2` puts a load NAME-precondition before the step: its range, all of the
// drive or `range: 75%`, twice over in sequential writes of 128 KiB.
//
//	name: my-iops
//	extends: pts-iops
//	steps:
//	  - name: iops
//	    range: 75%
//	    fio: {qd: 16, jobs: 16}
//	    over: {bs: [64k, 4k]}
//
// A step that fails, because fio crashed or the drive has gone, is told with its reason,
// and the next one is done. `on_failure: stop` of the suite or of a step ends the run there;
// what was measured is kept either way, and `powerd run --resume` goes on with that step.
//
// A duration has a unit. A block size is bytes, or has a suffix k, m or g of
// powers of 1024, as fio reads it. `sampling` is 4 µs × 2ⁿ; by default it is the
// configuration's.
//
// # Errors
//
// Reading is strict. All faults of a file come together, each with file:line, the
// key, and what is allowed.
package suite
