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
//	2xx                    the batch is removed
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
//	measurement    kind   name             unit   meaning
//	*              tag    run                     identity of the run
//	*              tag    suite                   its suite
//	*              tag    bench                   module + target + drive file
//	*              tag    drive                   model of the drive
//	*              tag    drive_serial            its serial number
//	*              tag    firmware                its firmware
//	*              tag    module                  serial number of the power module
//	*              tag    simulated               "yes" if the drive is emulated, otherwise absent
//	powerd_rail    tag    rail                    5v, 12v, 3v3
//	powerd_rail    tag    step                    step under way
//	powerd_rail    int    n                1      stripes with a value in these 100 ms
//	powerd_rail    int    lost             1      stripes without one
//	powerd_rail    float  min_v            V      lowest voltage of a stripe
//	powerd_rail    float  mean_v           V      mean voltage
//	powerd_rail    float  max_v            V      highest
//	powerd_rail    float  std_v            V      standard deviation
//	powerd_rail    float  min_a            A      the same of the current
//	powerd_rail    float  mean_a           A
//	powerd_rail    float  max_a            A
//	powerd_rail    float  std_a            A
//	powerd_rail    float  min_w            W      the same of the power
//	powerd_rail    float  mean_w           W
//	powerd_rail    float  max_w            W
//	powerd_rail    float  std_w            W
//	powerd_engine  tag    step                    step under way
//	powerd_engine  int    reads            IO     completed in the interval
//	powerd_engine  int    writes           IO
//	powerd_engine  int    read_bytes       B
//	powerd_engine  int    write_bytes      B
//	powerd_engine  float  duration_s       s      length of the interval
//	powerd_step    tag    step                    step or cell
//	powerd_step    tag    rw                      randread, write, randrw, …
//	powerd_step    tag    bs               B      block size
//	powerd_step    tag    read_pct         %      share of reads of a mix
//	powerd_step    tag    qd                      queue depth
//	powerd_step    tag    jobs                    parallel jobs
//	powerd_step    tag    state                   fresh, steady, not_judged
//	powerd_step    int    ios              IO     completed in the window
//	powerd_step    int    bytes            B
//	powerd_step    float  duration_s       s      length of the window
//	powerd_step    float  coverage                share of it that has samples, 0 … 1
//	powerd_step    float  iops             1/s
//	powerd_step    float  mb_per_s         MB/s   10⁶ bytes
//	powerd_step    float  mean_w           W      all rails together
//	powerd_step    float  energy_j         J
//	powerd_step    float  iops_per_mw      1/s/mW
//	powerd_step    float  mb_per_s_per_mw  MB/s/mW
//	powerd_step    float  iops_per_w       1/s/W
//	powerd_step    float  mb_per_s_per_w   MB/s/W
//	powerd_step    float  uj_per_io        µJ
//	powerd_idle    tag    step                    idle step
//	powerd_idle    tag    rail                    5v, 12v, total
//	powerd_inrush  tag    step                    power-cycle step
//	powerd_inrush  tag    rail                    5v, 12v, total
//	powerd_limit   tag    name                    the claim that is judged
//
// Beside these, every Quantity and Count of a table of results is a field under
// its column's name, and where its uncertainty is stated, <name>_u95 holds the
// half-width of the 95 % interval. A figure that is withheld has no field. The
// time of a point is the end of its window.
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
