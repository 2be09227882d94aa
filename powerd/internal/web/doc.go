// Package web is the daemon's face: an HTTP API for programs, metrics for Prometheus,
// and a client with which other powerds find the daemon of their machine.
//
// # The problem
//
// Whoever reaches the API can load a drive, and with the consent of its bench overwrite
// it or cut its power. A port on loopback is reached by every user of the machine, and
// by every page that its browser shows.
//
// # Who is let in
//
// Without a token powerd listens on loopback only, and a request must name this machine
// as its host, so that no page elsewhere can pass as one of ours. What changes something
// must be JSON, which a page cannot send to a foreign host unasked. With a token each
// request must bear it: Authorization: Bearer TOKEN. Nobody can name a file to be read,
// and a run's folder lies in the folder of runs.
//
// # Terms
//
//	place    where the daemon of a machine is: serve.json in the folder of state
//	claim    the lock beside it, which says that the daemon lives
//	run      what POST /api/v1/runs asked for; its id is not that of the run's folder
//
// # Errors
//
// They are answered as application/problem+json: 401 without the token, 403 from
// another host, 404, 409 where a bench is taken, with the run that has it, 415, 422
// with what to mend, 503 where a bench has no module now.
package web
