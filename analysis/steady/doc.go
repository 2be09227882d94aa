// Package steady says whether a drive has reached its steady state, from what its rounds
// did: while they go on, and afterwards.
//
// # The problem
//
// What a drive does depends on what it did before. A figure of its steady state has to
// come from rounds that a rule calls steady, and a person who picks them by eye picks
// those that look best. Without a rule that is asked after each round, a test runs as
// long as it may. And a rule that is met by a drive that does nothing (0 ≤ 0 % of 0), or
// by rounds of which one is missing, is worse than none.
//
// # Terms
//
//	round     one pass over all cells; a variable has one figure a round
//	variable  what is judged: the IOPS of one cell, or its latency: the mean, or a
//	          percentile. A test may have several, and is steady once all of them are,
//	          in the very same window
//	window    as many rounds in a row as the rule wants, the latest ones
//	range     highest − lowest of the window
//	fit       the straight line through the window by least squares; its excursion is
//	          highest − lowest of the line in the window, |slope|·(rounds − 1)
//	snia      window of 5, range at most 20 % and excursion at most 10 % of the mean, both
//	          inclusive (SNIA SSS PTS 2.0.2, 2.1.24)
//	review4   window of 4, fit within 90 to 110 % of the mean: excursion at most 20 %, as a
//	          line is as far above its mean as below; no rule for the range. It is laxer:
//	          a drive that falls by 5 % a round meets it
//	since     steady state is reached at the end of the first window that meets the rule;
//	          what comes later takes nothing back
//	break     between two rounds the run was broken off, and went on later. Meanwhile the
//	          drive rested: no window holds rounds of both sides
//
// Power is judged by the same rule over the same window and stands beside. It does not
// decide: the rules are made for what a drive does, not for what it draws.
//
// # Errors
//
// None. A window in which a figure is missing, zero or no number is not steady, and says
// which round it is.
package steady
