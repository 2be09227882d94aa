package suite

// Keys lists the keys of a suite file for people who write one.
const Keys = `name, title            of the suite
on_failure             of the suite, or of a step instead: continue (with the next step; unless told), stop
steps                  a list; each step has
  name, kind           kind: power_cycle, idle, load, matrix, record
  duration             of what is measured: 30s, 5m, 2h; an idle step has 5m unless told
  sampling             period of a sample, 4us times a power of two; default: the settings'
  off_time, cycles     of power_cycle: rails are off this long (10s); how many power-ups (1)
  settle               of idle: true, or {mean: 1m, within_pct: 1, for: 3m, at_most: 15m}: wait
                       until means of 1m have stayed within 1 % for 3m
  ramp                 of load and matrix: time of the engine before what is measured
  fio                  of load and matrix: {rw, bs, read_pct, qd, jobs, size, ioengine, rate_iops}, or
                       {file: JOB.fio}; rw: read, write, randread, randwrite, rw, randrw; bs: 4k
  over, order          of matrix: lists of rw, bs, read_pct, qd, jobs; the last varies fastest, unless
                       order names them, the slowest first: [read_pct, bs]
  rounds               of load and matrix: passes over all cells (1); fresh_rounds and last_rounds
                       are held against each other; until_written: 4 ends them after 4 capacities
  until_steady         ends the rounds (25 unless told) once the drive is steady by a profile: snia, review4,
                       or {profile: snia, of: [{bs: 4k, read_pct: 0}]}: the cells of a matrix that are judged
  until_written        of load without rounds: ends it after so many capacities; duration is the most
  on_twin              what an emulated drive does instead: duration, off_time, cycles, over, qd, jobs,
                       rounds, fresh_rounds, last_rounds, until_written, until_steady, settle;
                       after_ready: 2s of power_cycle lets it last at least until 2s after the
                       drive is ready`
