// Package ppm drives Quarch-style programmable power modules over anything that
// carries bytes both ways.
//
// # The problem
//
// One port carries commands, their replies and a stream of samples; replies can
// come late, in pieces, or never, and a late one must not pass for the answer to
// the next command. The module pauses its stream until it is answered, and gives
// up when it is read too slowly. Whoever measures wants blocks of samples with
// the host time of their arrival, and to be able to switch the drive on in
// mid-stream.
//
// # Terms
//
//	exchange   one command and its reply, or its absence; one at a time
//	pump       the one goroutine that reads the port: it stamps every read,
//	           decodes, answers the module, and hands replies and blocks on; its
//	           thread has real-time priority where the process may take it
//	queue      blocks that wait for their consumer: some seconds' worth
//	terminal   the link with echo and prompt: polled, one stripe a round
//	framed     the link with lengths: streamed
//	sync       the module waits for an answer before it goes on; the place to stop
//	format     of a stream: HD, HD Plus, XLC, original; its header decides which
//	stale      input that belongs to a command which was given up
//	doubt      damage has left the stream without a known next frame, or an end came that
//	           was not asked for; silence decides: after 50 ms a sync is answered that may
//	           have been missed, after 300 ms the end is believed
//
// Opening sends queries only; streaming adds `conf stream enable on`, `rec
// stream` and `rec stop`. Nothing else is sent unless a command of Module's own
// says so.
//
// # Errors
//
// Every error names the port. Silence is quarch.ErrTimeout with the command and
// the bytes that came; FAIL is quarch.ErrRefused with the module's text; a
// device that answers something else is quarch.ErrNotAModule with what it said;
// a module whose buffer ran over is quarch.ErrOverrun after its last stripe. Damage
// in the stream is no error: the block after it says how many stripes are lost, and
// the log says where. While polling, a damaged or late reply costs its round, whose
// stripe is quarch.Missing; five such rounds in a row, or silence to two questions
// in a row, end the stream.
package ppm
