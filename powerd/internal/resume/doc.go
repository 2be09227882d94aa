// Package resume decides how a run that was broken off goes on: with which step, and what
// has to be done again so that no figure mixes two states of the drive. It is pure.
//
// # The problem
//
// A suite of a day is broken off by a reboot, a crash, or somebody's Ctrl-C. What was
// measured is good and took hours. What comes next is another matter: what a drive does
// depends on what it did before, and meanwhile it has rested, moved its data about, perhaps
// lost its power. Whoever goes on as if nothing had been publishes rounds of a drive that
// is not the drive of the rounds before.
//
// # Terms
//
//	unit    what is done in one go: a round of a load or matrix in rounds; else one step
//	broken  the unit that was under way, or the one that would have been next
//	leg     what one powerd does of a run, see package results
//
// # The rule
//
//  1. Finished units stay, with their figures.
//  2. The broken unit is done again from its beginning: all cells of a round, the whole of
//     an idle step or a recording, the whole power-up. What was measured of it stays in the
//     capture, and no figure is of it.
//  3. A step that failed and came last stopped the run, and counts as broken. One that was
//     gone on after has failed, and stays so.
//  4. A window that compares rounds is whole, or done again: broken in its first rounds
//     (fresh_rounds), a load in rounds begins anew with round 1; broken in its last ones
//     (last_rounds), with the first of these.
//  5. If the unit before the one that is gone on with wrote to the drive, it is done once more
//     first, and no figure is of that: the round before, the cell of a matrix before, or the
//     whole load, which may be the preconditioning of hours. Nothing else brings the state
//     back that the drive was in. A power-up needs none: it makes a state of its own.
//  6. No steady window holds rounds of both sides: the rule of until_steady begins anew with
//     the rounds that follow, whose number goes on. There are no more of them than the
//     suite allows, so that a run that was broken off late may end without.
//     Rounds that end with until_written count what all of them wrote.
//
// Two units back the drive is not brought back further: a suite whose order matters that
// much says so by rounds, or is begun anew.
//
// # Errors
//
// ErrDone: there is nothing left to be done. A plan that does not know a step that was done
// is another plan, and an error.
package resume
