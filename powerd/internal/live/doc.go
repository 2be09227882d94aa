// Package live sums a module's stripes by 100 ms of host time while they come, for
// stores and for people who watch.
//
// # The problem
//
// Results are computed from a capture, with a map from stripe to host time that has
// seen the whole stream. Whoever looks on meanwhile cannot wait for that, and a
// stream that runs for months must not cost more memory every hour.
//
// # Terms
//
//	summary  what the stripes of 100 ms carried, rail by rail; it ends at a whole
//	         tenth of a second of host time, or with its stream
//	map      where stripes lie in host time as known so far, by the past alone: what it
//	         said of a stripe it does not take back. It is solved anew once a second, and
//	         of what is long past it keeps the stream's begin
//
// Every figure of this package is a preview, never a result.
//
// # Errors
//
// There are none. What is not known is left out.
package live
