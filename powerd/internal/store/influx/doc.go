// Package influx sends runs to InfluxDB, 1.8 or 2.x, so that every point is there
// once: also if the server is away for hours, answers late, or powerd is killed.
//
// # The problem
//
// Client libraries keep what a server did not take in memory and give it up when
// the process ends or a buffer is full, some without a word; one mistyped tag
// makes a server refuse a whole batch; and a number that was first written as a
// whole one keeps its field from ever holding a fraction.
//
// # How
//
// Points are encoded when they are handed over and put into a durable outbox; one
// goroutine takes them from there to the server, oldest first, at most 5000 in a
// request, and removes them when the server has acknowledged them. Only those
// count as sent. A batch that is sent again, because an answer was lost, writes
// the same series at the same times and so changes nothing. What an earlier run
// left goes out first.
//
//	answer                 what happens
//	204                    the batch is removed
//	another 2xx, 3xx       it is kept, as below: whoever answered is no InfluxDB
//	none, 429, 5xx         it is kept and tried again after a growing pause, or as
//	                       long as Retry-After says
//	401, 403               the token is refused: no more attempts until the next
//	                       start, when all of it is sent
//	404                    no such bucket: the batch is parked until the next start
//	other 4xx              the batch is parked with the server's words; others go on
//
// A request is refused as a whole for one bad line, so the batches of a refused
// request are sent one by one, and only the bad one is parked.
//
// # Names
//
// A quantity is always a float field, a count always an int64 field. Times are in
// ns. Each point bears the tags of the run as far as they are known.
//
//	measurement           kind   name                           unit     meaning
//	*                     tag    run                                     identity of the run
//	*                     tag    suite                                   its suite
//	*                     tag    bench                                   module + target + drive file
//	*                     tag    drive                                   model of the drive
//	*                     tag    drive_serial                            its serial number
//	*                     tag    firmware                                its firmware
//	*                     tag    module                                  serial number of the power module
//	*                     tag    simulated                               "yes" if the drive is emulated, otherwise absent
//	powerd_rail           tag    rail                                    5v, 12v, 3v3
//	powerd_rail           tag    step                                    step under way
//	powerd_rail           int    n                                       stripes with a value in these 100 ms
//	powerd_rail           int    lost                                    stripes without one
//	powerd_rail           float  min_v                          V        lowest voltage of a stripe
//	powerd_rail           float  mean_v                         V        mean voltage
//	powerd_rail           float  max_v                          V        highest voltage of a stripe
//	powerd_rail           float  std_v                          V        standard deviation of the voltage
//	powerd_rail           float  min_a                          A        lowest current of a stripe
//	powerd_rail           float  mean_a                         A        mean current
//	powerd_rail           float  max_a                          A        highest current of a stripe
//	powerd_rail           float  std_a                          A        standard deviation of the current
//	powerd_rail           float  min_w                          W        lowest power of a stripe
//	powerd_rail           float  mean_w                         W        mean power
//	powerd_rail           float  max_w                          W        highest power of a stripe
//	powerd_rail           float  std_w                          W        standard deviation of the power
//	powerd_engine         tag    step                                    step under way
//	powerd_engine         int    reads                                   IOs completed in the interval
//	powerd_engine         int    writes                                  the same
//	powerd_engine         int    read_bytes                     B        bytes read in it
//	powerd_engine         int    write_bytes                    B        bytes written
//	powerd_engine         float  duration_s                     s        its length
//	powerd_step           tag    step                                    step or cell
//	powerd_step           tag    rw                                      randread, write, randrw, …
//	powerd_step           tag    bs                             B        block size
//	powerd_step           tag    read_pct                       %        share of reads
//	powerd_step           tag    range                                   share of the drive that it goes over, where not all
//	powerd_step           tag    entropy_pct                    %        of the data that is written: 100 random, 0 zeros
//	powerd_step           tag    qd                                      queue depth
//	powerd_step           tag    jobs                                    parallel jobs
//	powerd_step           tag    state                                   fresh, steady, not_judged
//	powerd_step           int    first_round                             of several rounds added up, the first; else as round
//	powerd_step           int    round                                   pass over all cells
//	powerd_step           int    ios                                     IOs completed in the window
//	powerd_step           int    bytes                          B        bytes moved
//	powerd_step           float  duration_s                     s        length of the window
//	powerd_step           float  coverage                                share of it that has samples, 0 … 1
//	powerd_step           float  iops                           IOPS     IOs a second
//	powerd_step           float  mb_per_s                       MB/s     10⁶ bytes a second
//	powerd_step           float  mean_w                         W        mean power, all rails
//	powerd_step           float  5v_w                           W        mean power of a rail
//	powerd_step           float  12v_w                          W        the same
//	powerd_step           float  energy_j                       J        energy, all rails
//	powerd_step           float  iops_per_mw                    IOPS/mW  all IOs over all energy
//	powerd_step           float  mb_per_s_per_mw                MB/s/mW  all bytes over all energy
//	powerd_step           float  iops_per_w                     IOPS/W   the same in watts
//	powerd_step           float  mb_per_s_per_w                 MB/s/W   the same in watts
//	powerd_step           float  uj_per_io                      µJ       energy of one IO
//	powerd_step           float  u95_rel                                 relative half-width of the ratios' 95 % interval
//	powerd_step           float  u95_scatter_rel                         the same without the module's accuracy
//	powerd_step           float  latency_mean_us                µs       mean completion latency
//	powerd_step           float  latency_p99_us                 µs       its 99th percentile
//	powerd_idle           tag    step                                    idle step
//	powerd_idle           tag    kind                                    active, deep, sleep, after_load
//	powerd_idle           tag    level                                   1, 2, … where the drive idles at several
//	powerd_idle           tag    rail                                    5v, 12v, total
//	powerd_idle           float  mean_w                         W        mean power
//	powerd_idle           float  min_w                          W        lowest power
//	powerd_idle           float  max_w                          W        highest
//	powerd_idle           float  std_w                          W        standard deviation
//	powerd_idle           float  p50_w                          W        median
//	powerd_idle           float  p99_w                          W        99th percentile
//	powerd_idle           float  mean_a                         A        mean current
//	powerd_idle           float  mean_v                         V        mean voltage
//	powerd_idle           float  coverage                                share of the window that has samples, 0 … 1
//	powerd_idle           float  duration_s                     s        length of the window
//	powerd_idle           float  settled_after_s                s        from the step's start until the drive had settled
//	powerd_idle           float  gross_w                        W        as measured; this and the two below where a zero is known
//	powerd_idle           float  zero_w                         W        what module and fixture read without a drive
//	powerd_idle           float  net_w                          W        gross less zero
//	powerd_inrush         tag    step                                    power-cycle step
//	powerd_inrush         tag    cycle                                   1 = the first of the step
//	powerd_inrush         tag    rail                                    5v, 12v, total
//	powerd_inrush         tag    window_us                      µs       time that the peak is averaged over
//	powerd_inrush         float  amps                           A        peak current
//	powerd_inrush         float  at_s                           s        when, from the start of the supply
//	powerd_inrush         float  watts                          W        peak power
//	powerd_inrush         float  resolution_us                  µs       sample period
//	powerd_start          tag    step                                    power-cycle step
//	powerd_start          tag    cycle                                   1 = the first of the step
//	powerd_start          tag    rail                                    5v, 12v, total
//	powerd_start          float  start_v                        V        voltage from which on current is drawn
//	powerd_start          float  rise_s                         s        when the rail has 1 % of its nominal voltage
//	powerd_start          float  droop_v                        V        dip of the voltage
//	powerd_start          float  charge_c                       C        charge until ready
//	powerd_start          float  i2t_a2s                        A²s      ∫ I² dt over the same time
//	powerd_start          float  energy_j                       J        energy of the cycle
//	powerd_start          float  time_to_ready_s                s        until the first answer
//	powerd_start          float  energy_to_ready_j              J        energy until then
//	powerd_inrush_cycles  tag    rail                                    5v, 12v, total
//	powerd_inrush_cycles  tag    window_us                      µs       time that the peak is averaged over
//	powerd_inrush_cycles  int    cycles                                  power-ups that have the peak
//	powerd_inrush_cycles  float  mean_amps                      A        peak current: mean over the power-ups
//	powerd_inrush_cycles  float  std_amps                       A        their standard deviation
//	powerd_inrush_cycles  float  min_amps                       A        lowest
//	powerd_inrush_cycles  float  max_amps                       A        highest
//	powerd_inrush_cycles  int    worst_cycle                             the one with the highest
//	powerd_inrush_cycles  float  mean_watts                     W        peak power: mean over the power-ups
//	powerd_inrush_cycles  float  std_watts                      W        their standard deviation
//	powerd_inrush_cycles  float  min_watts                      W        lowest
//	powerd_inrush_cycles  float  max_watts                      W        highest
//	powerd_start_cycles   tag    rail                                    5v, 12v, total
//	powerd_start_cycles   int    cycles                                  power-ups that have the figure
//	powerd_start_cycles   float  mean_start_v                   V        supply at which the drive came to life: mean over the power-ups
//	powerd_start_cycles   float  std_start_v                    V        their standard deviation
//	powerd_start_cycles   float  min_start_v                    V        lowest
//	powerd_start_cycles   float  max_start_v                    V        highest
//	powerd_start_cycles   float  mean_time_to_ready_s           s        time to the first good read: mean over the power-ups
//	powerd_start_cycles   float  std_time_to_ready_s            s        their standard deviation
//	powerd_start_cycles   float  min_time_to_ready_s            s        lowest
//	powerd_start_cycles   float  max_time_to_ready_s            s        highest
//	powerd_start_cycles   float  mean_energy_to_ready_j         J        energy until then: mean over the power-ups
//	powerd_start_cycles   float  std_energy_to_ready_j          J        their standard deviation
//	powerd_start_cycles   float  min_energy_to_ready_j          J        lowest
//	powerd_start_cycles   float  max_energy_to_ready_j          J        highest
//	powerd_saturation     tag    step                                    load in rounds, or its cell
//	powerd_saturation     tag    window                                  fresh, last
//	powerd_saturation     tag    state                                   not_judged
//	powerd_saturation     tag    rw                                      as powerd_step
//	powerd_saturation     tag    bs                             B        as powerd_step
//	powerd_saturation     tag    read_pct                       %        as powerd_step
//	powerd_saturation     tag    qd                                      as powerd_step
//	powerd_saturation     tag    jobs                                    as powerd_step
//	powerd_saturation     float  iops                           IOPS     IOs a second
//	powerd_saturation     float  u95_rel                                 relative half-width of the ratios' 95 % interval
//	powerd_saturation     float  mb_per_s                       MB/s     10⁶ bytes a second
//	powerd_saturation     float  mean_w                         W        mean power, all rails
//	powerd_saturation     float  iops_per_mw                    IOPS/mW  all IOs over all energy
//	powerd_saturation     float  iops_per_w                     IOPS/W   the same in watts
//	powerd_saturation     float  u95_scatter_rel                         the same without the module's accuracy
//	powerd_saturation     float  energy_j                       J        energy, all rails
//	powerd_saturation     float  coverage                                share of the window that has samples, 0 … 1
//	powerd_saturation     float  duration_s                     s        length of its rounds together
//	powerd_saturation     int    ios                                     IOs completed in it
//	powerd_saturation     int    bytes                          B        bytes moved in it
//	powerd_housekeeping   tag    step                                    as powerd_saturation
//	powerd_housekeeping   tag    rw                                      as powerd_step
//	powerd_housekeeping   tag    bs                             B        as powerd_step
//	powerd_housekeeping   tag    read_pct                       %        as powerd_step
//	powerd_housekeeping   tag    qd                                      as powerd_step
//	powerd_housekeeping   tag    jobs                                    as powerd_step
//	powerd_housekeeping   int    rounds                                  done
//	powerd_housekeeping   int    bytes                          B        moved in all of them
//	powerd_housekeeping   int    cliff_round                             from which on IOPS lie below 90 % of the fresh
//	powerd_housekeeping   float  iops_ratio                              fresh ÷ last
//	powerd_housekeeping   float  power_change_w                 W        last − fresh
//	powerd_housekeeping   float  power_change_rel                        of the fresh
//	powerd_housekeeping   float  housekeeping_share_iops                 (fresh − last)/fresh of the IOPS, at that change of power
//	powerd_housekeeping   float  housekeeping_share_efficiency           1 − last/fresh of the IOPS/mW
//	powerd_steady         tag    step                                    variable: cell of a load in rounds
//	powerd_steady         tag    profile                                 snia, review4
//	powerd_steady         int    reached                                 1 = all variables are steady in one window, 0 = not
//	powerd_steady         int    rounds                                  done
//	powerd_steady         float  mean_iops                      IOPS     of the rounds of the window
//	powerd_steady         float  range_rel                               highest − lowest of them, over the mean
//	powerd_steady         float  slope_iops_per_round           IOPS     of the line fitted to them
//	powerd_steady         float  fit_rel                                 highest − lowest of that line, over the mean
//	powerd_steady         float  mean_w                         W        mean power of the same rounds
//	powerd_steady         float  range_w_rel                             as range_rel
//	powerd_steady         float  slope_w_per_round              W        as slope_iops_per_round
//	powerd_steady         float  fit_w_rel                               as fit_rel
//	powerd_demand_limits  tag    ramp                                    demand ramp of the suite
//	powerd_demand_limits  tag    rw                                      as powerd_step
//	powerd_demand_limits  tag    bs                             B        as powerd_step
//	powerd_demand_limits  tag    read_pct                       %        as powerd_step
//	powerd_demand_limits  tag    qd                                      as powerd_step
//	powerd_demand_limits  tag    jobs                                    as powerd_step
//	powerd_demand_limits  int    limit_iops                     IOPS     largest demand that was met
//	powerd_demand_limits  int    next_iops                      IOPS     smallest above it that was not
//	powerd_demand_limits  float  most_iops                      IOPS     most that any step of the ramp did
//	powerd_demand         tag    ramp                                    as powerd_demand_limits
//	powerd_demand         tag    step                                    one demand of the ramp
//	powerd_demand         int    demand_iops                    IOPS     what the engine was to keep up
//	powerd_demand         float  iops                           IOPS     what it did
//	powerd_demand         float  latency_mean_us                µs       mean completion latency
//	powerd_demand         float  latency_max_us                 µs       longest
//	powerd_demand         float  mean_w                         W        mean power, all rails
//	powerd_demand         float  iops_per_mw                    IOPS/mW  all IOs over all energy
//	powerd_recovery       tag    step                                    load with pauses
//	powerd_recovery       tag    rw                                      as powerd_step
//	powerd_recovery       tag    bs                             B        as powerd_step
//	powerd_recovery       tag    read_pct                       %        as powerd_step
//	powerd_recovery       tag    qd                                      as powerd_step
//	powerd_recovery       tag    jobs                                    as powerd_step
//	powerd_recovery       float  pause_s                        s        pause that was asked for
//	powerd_recovery       float  load_s                         s        load between two pauses
//	powerd_recovery       int    bursts                                  loads that followed a pause
//	powerd_recovery       float  seen_pause_s                   s        mean pause as the kernel's counts show it
//	powerd_recovery       float  before_iops                    IOPS     of the load without pauses before any
//	powerd_recovery       float  iops                           IOPS     of the loads that followed a pause
//	powerd_recovery       float  mb_per_s                       MB/s     of the same
//	powerd_recovery       float  then_iops                      IOPS     of the load without pauses right after
//	powerd_recovery       float  gain                                    iops ÷ before_iops
//	powerd_recovery       float  recovery_share                          (after − before)/(fresh − before) of the IOPS
//	powerd_recovery       float  before_mean_w                  W        mean power of the load before any pause
//	powerd_recovery       float  pause_mean_w                   W        mean power in the pauses
//	powerd_recovery       float  mean_w                         W        mean power of the loads that followed a pause
//	powerd_recovery       float  iops_per_mw                    IOPS/mW  of the same
//	powerd_steady         float  mean_us                        µs       of the latency that decides, where one does
//	powerd_steady         float  range_us_rel                            as range_rel
//	powerd_steady         float  slope_us_per_round             µs       as slope_iops_per_round
//	powerd_steady         float  fit_us_rel                              as fit_rel
//	powerd_latency        tag    step                                    as powerd_step
//	powerd_latency        tag    rw                                      as powerd_step
//	powerd_latency        tag    bs                             B        as powerd_step
//	powerd_latency        tag    read_pct                       %        as powerd_step
//	powerd_latency        tag    qd                                      as powerd_step
//	powerd_latency        tag    jobs                                    as powerd_step
//	powerd_latency        tag    state                                   as powerd_step
//	powerd_latency        float  iops                           IOPS     as powerd_step
//	powerd_latency        float  mean_us                        µs       mean completion latency, reads and writes together
//	powerd_latency        float  std_us                         µs       their standard deviation
//	powerd_latency        float  p50_us                         µs       median, from the histogram of all of them
//	powerd_latency        float  p99_us                         µs       99th percentile, as p50_us
//	powerd_latency        float  p999_us                        µs       99.9th
//	powerd_latency        float  p9999_us                       µs       99.99th
//	powerd_latency        float  p99999_us                      µs       99.999th
//	powerd_latency        float  max_us                         µs       the longest
//	powerd_scaling        tag    group                                   matrix of the suite
//	powerd_scaling        tag    rw                                      as powerd_step
//	powerd_scaling        tag    bs                             B        as powerd_step
//	powerd_scaling        tag    read_pct                       %        as powerd_step
//	powerd_scaling        int    entropy_pct                    %        of the data that is written
//	powerd_scaling        int    cells                                   loads of the series
//	powerd_scaling        float  base_w                         W        power at no IO, by the line through watts over IOPS
//	powerd_scaling        float  awake_w                        W        that less the idle watts
//	powerd_scaling        float  uj_per_io                      µJ       energy of one more IO
//	powerd_scaling        float  knee_depth                              depth from which on more of it brings no IOPS
//	powerd_scaling        tag    sweet_spot                              the first load at or beyond it
//	powerd_scaling        float  sweet_iops                     IOPS     what that does
//	powerd_scaling        float  sweet_uj_per_io                µJ/IO    at which energy
//	powerd_scaling        float  dynamic_range                           (highest − idle) ÷ highest power
//	powerd_scaling        float  proportionality                         1 = power in proportion to load, 0 = always the highest
//	powerd_rounds         tag    step                                    round of a cell that a rule judges
//	powerd_rounds         tag    rw                                      as powerd_step
//	powerd_rounds         tag    bs                             B        as powerd_step
//	powerd_rounds         tag    read_pct                       %        as powerd_step
//	powerd_rounds         tag    range                                   as powerd_step
//	powerd_rounds         tag    entropy_pct                    %        as powerd_step
//	powerd_rounds         tag    qd                                      as powerd_step
//	powerd_rounds         tag    jobs                                    as powerd_step
//	powerd_rounds         tag    state                                   as powerd_step
//	powerd_rounds         int    first_round                             as powerd_step
//	powerd_rounds         int    round                                   as powerd_step
//	powerd_rounds         int    ios                                     as powerd_step
//	powerd_rounds         int    bytes                          B        as powerd_step
//	powerd_rounds         float  duration_s                     s        as powerd_step
//	powerd_rounds         float  coverage                                as powerd_step
//	powerd_rounds         float  iops                           IOPS     as powerd_step
//	powerd_rounds         float  mb_per_s                       MB/s     as powerd_step
//	powerd_rounds         float  mean_w                         W        as powerd_step
//	powerd_rounds         float  5v_w                           W        as powerd_step
//	powerd_rounds         float  12v_w                          W        as powerd_step
//	powerd_rounds         float  energy_j                       J        as powerd_step
//	powerd_rounds         float  iops_per_mw                    IOPS/mW  as powerd_step
//	powerd_rounds         float  mb_per_s_per_mw                MB/s/mW  as powerd_step
//	powerd_rounds         float  iops_per_w                     IOPS/W   as powerd_step
//	powerd_rounds         float  mb_per_s_per_w                 MB/s/W   as powerd_step
//	powerd_rounds         float  uj_per_io                      µJ       as powerd_step
//	powerd_rounds         float  u95_rel                                 as powerd_step
//	powerd_rounds         float  u95_scatter_rel                         as powerd_step
//	powerd_rounds         float  latency_mean_us                µs       as powerd_step
//	powerd_rounds         float  latency_p99_us                 µs       as powerd_step
//	powerd_record         tag    step                                    step that recorded
//	powerd_record         tag    rail                                    5v, 12v, total
//	powerd_record         float  mean_w                         W        mean power
//	powerd_record         float  min_w                          W        lowest power
//	powerd_record         float  max_w                          W        highest
//	powerd_record         float  p99_w                          W        99th percentile
//	powerd_record         float  energy_j                       J        energy of the covered time
//	powerd_record         float  mean_a                         A        mean current
//	powerd_record         float  mean_v                         V        mean voltage
//	powerd_record         float  coverage                                share of the window that has samples, 0 … 1
//	powerd_record         float  duration_s                     s        length of the window
//	powerd_record         float  iops                           IOPS     IOs a second that reached the drive, by the kernel's counts
//	powerd_record         float  mb_per_s                       MB/s     10⁶ bytes a second
//	powerd_record         float  iops_per_mw                    IOPS/mW  all IOs over all energy of their own window
//	powerd_record         float  mb_per_s_per_mw                MB/s/mW  all bytes over it
//	powerd_record         float  uj_per_io                      µJ       energy of one IO
//	powerd_record         int    reads                                   requests completed in that window
//	powerd_record         int    writes                                  the same
//	powerd_record         int    read_bytes                     B        bytes read in it
//	powerd_record         int    write_bytes                    B        bytes written
//	powerd_mark           tag    name                                    what its user called the window
//	powerd_mark           tag    unit                                    of count
//	powerd_mark           float  duration_s                     s        from its start to its end
//	powerd_mark           float  mean_w                         W        mean power
//	powerd_mark           float  max_w                          W        highest
//	powerd_mark           float  energy_j                       J        energy of the covered time
//	powerd_mark           int    count                                   what its user says was done
//	powerd_mark           float  per_joule                      1/J      count over the energy
//	powerd_mark           float  per_s                          1/s      count over the time
//	powerd_mark           float  coverage                                share of the window that has samples, 0 … 1
//	powerd_mark           float  iops                           IOPS     IOs a second that reached the drive, by the kernel's counts
//	powerd_mark           float  mb_per_s                       MB/s     10⁶ bytes a second
//	powerd_mark           float  iops_per_mw                    IOPS/mW  all IOs over all energy of their own window
//	powerd_mark           float  mb_per_s_per_mw                MB/s/mW  all bytes over it
//	powerd_mark           float  uj_per_io                      µJ       energy of one IO
//	powerd_mark           int    reads                                   requests completed in that window
//	powerd_mark           int    writes                                  the same
//	powerd_mark           int    read_bytes                     B        bytes read in it
//	powerd_mark           int    write_bytes                    B        bytes written
//	powerd_gap            tag    cause                                   why powerd serve had no samples: unplugged, silent, run, …
//	powerd_gap            float  duration_s                     s        for how long
//	powerd_limit          tag    name                                    claim of the datasheet
//	powerd_limit          tag    rail                                    5v, 12v, total
//	powerd_limit          tag    kind                                    max, min, typical
//	powerd_limit          tag    unit                                    of limit and value
//	powerd_limit          tag    window_us                      µs       time that a peak is averaged over
//	powerd_limit          tag    verdict                                 pass, fail, inconclusive
//	powerd_limit          float  limit                                   what the datasheet says
//	powerd_limit          float  value                                   what was measured
//	powerd_limit          float  p_beyond                                probability that the true value breaks the limit
//
// Where the uncertainty of a figure is stated, <name>_u95 beside it holds the
// half-width of its 95 % interval. A figure that is withheld has no field. The time
// of a point is the end of its window; of a claim, which has none, the run's start.
//
// # Words that line protocol cannot carry
//
// A backslash at the end of a word becomes "⧵" (U+29F5); line ends, tabs and
// other control characters become spaces; bytes that are not UTF-8 become U+FFFD;
// an empty tag is left out; a measurement loses a "#" at its start; a tag or field
// called "time" becomes "time_".
//
// # Errors
//
// Methods fail only if the outbox cannot be written or the points contradict one
// another. What the server says stands in the Report, with counts, bucket,
// measurements and the server's own words, and is logged once when it changes.
package influx
