// Package latency says how long IOs took: mean, spread, percentiles and the highest, of one
// job or of many put together.
//
// # The problem
//
// A mean hides what a user waits for, so latencies are told by percentiles; and percentiles
// are what is most often got wrong. Those of jobs, directions or rounds are averaged, which
// gives the percentile of nothing; and a 99.99th is quoted of ten thousand IOs, where it is
// one IO, and another one on the next day. So they come from histograms, which can be added
// up, and from nothing else; and one that its IOs do not support is withheld.
//
// # Terms
//
//	histogram   IOs by how long they took, in bins of the engine's
//	percentile  the qth: the least latency that q % of all IOs do not exceed; told as the
//	            middle of the bin that it lies in, and never above the highest
//	support     a percentile needs ten IOs beyond it. Their number is a count: ten scatter
//	            by a third, fewer tell nothing of the drive
//	mean, std   exact, of the engine's sums, whatever the bins
//
// fio's bins are at most 1/64 of their lower end wide, so that a percentile is within
// 0.8 % of that of its samples.
//
// # Errors
//
// None. What cannot be told is absent, with its reason.
package latency
