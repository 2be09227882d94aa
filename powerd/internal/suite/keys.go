package suite

// Keys lists the keys of a suite file for people who write one.
const Keys = `name, title            of the suite
extends                another suite, built in or a file beside this one: its steps, over which those
                       here stand key by key where the name is the same; ~ takes a key away
on_failure             of the suite, or of a step instead: continue (with the next step; unless told), stop
steps                  a list; a step is "include: SUITE", the steps of that one, or has
  name, kind           kind: power_cycle, idle, load, matrix, record, demand, recovery,
                       command, purge
  duration             of what is measured: 30s, 5m, 2h; an idle step has 5m unless told
  sampling             period of a sample, 4us times a power of two; default: the settings'
  off_time, cycles     of power_cycle: rails are off this long (10s); how many power-ups (1)
  settle               of idle: true, or {mean: 1m, within_pct: 1, for: 3m, at_most: 15m}: wait
                       until means of 1m have stayed within 1 % for 3m
  ramp                 of load and matrix: time of the engine before what is measured
  range                of load and matrix: share of the drive that is loaded: 75%, 25-75%, half (all)
  precondition         of load and matrix: sequential writes before it, of the range so many times: 2, or
                       {capacities: 2, at_most: 6h, bs: 128k, qd: 32}
  fio                  of load and matrix: {rw, bs, read_pct, entropy, qd, jobs, size, ioengine, rate_iops},
                       or {file: JOB.fio}; rw: read, write, randread, randwrite, rw, randrw; bs: 4k;
                       entropy: of what is written, 100 random to 0 zeros (100)
  over, order          of matrix: lists of rw, bs, read_pct, entropy, qd, jobs; the last varies fastest,
                       unless order names them, the slowest first: [read_pct, bs]
  rounds               of load and matrix: passes over all cells (1); fresh_rounds and last_rounds
                       are held against each other; until_written: 4 ends them after 4 capacities
  until_steady         ends the rounds (25 unless told) once the drive is steady by a profile: snia, review4,
                       or {profile: snia, of: [{bs: 4k, read_pct: 0}]}: the cells of a matrix that are judged
  until_written        of load without rounds: ends it after so many capacities; duration is the most;
                       with range they are capacities of that
  demand_iops          of demand: IOPS that the load is asked for, one after the other: [1000, 2000], or
                       {from: 2000, to: 120000, by: 2000}
  pauses, bursts       of recovery: [5s, 50s]: after each pause the drive is loaded for duration, so many
                       times, and then as long without pauses; fresh: a load before it, as of a fresh drive
  argv, timeout        of command and purge: program and arguments, no shell; {target} and {device} are the
                       drive's paths; how long it may take (1m, of a purge 4h)
  vary                 of command: {settings: [{name: 9w, argv: [...]}, {name: 12w, argv: [...]}], restore: 12w}:
                       all steps that follow are done once a setting; {setting} in argv is its name
  on_twin              what an emulated drive does instead: duration, ramp, off_time, cycles, over, qd,
                       jobs, rounds, fresh_rounds, last_rounds, until_written, until_steady, settle,
                       precondition, demand_iops, pauses, bursts, argv, vary (a purge discards its file);
                       after_ready: 2s of power_cycle lets it last at least until 2s after the
                       drive is ready`
