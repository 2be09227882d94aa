// Package setup asks a person which power module and which drive belong together, and
// gives back the bench that is to be written down.
//
// # The problem
//
// A bench that names the wrong drive, or a drive by a name that is another's after a
// restart, measures plausible figures of something else. Serial numbers and stable
// paths are long, and nobody types them right; so they are found, listed, and chosen by
// number. Which of them belong together powerd cannot know: it is asked for here, and
// proved by `powerd pair` before anything rests on it.
//
// # Terms
//
//	given      an answer that came as a flag; its question is not asked
//	fallback   the answer of whoever just presses Enter; where nobody can be asked, it
//	           is taken
//
// Nothing is sent to a drive, and nothing but questions to a module.
//
// # Errors
//
// Every error is for the user to mend before anything is written: it names what was
// found, and the flag that would answer. An answer that does not fit is explained and
// asked for again, three times at most.
package setup
