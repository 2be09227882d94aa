// Package wire turns the bytes of a Quarch-style power module into replies,
// statuses and counts, and back. It is pure: no time, no logger, no port.
//
// # The problem
//
// A port delivers bytes in pieces of its own choosing and now and then loses
// one. Whoever reads a length and a payload as if each came whole loses the
// framing at the first split; whoever trusts every length reports absurd
// amperes for ever after one lost byte. Decoder gives the same result for any
// split of the stream, and after damage it finds the next frame by itself and
// says what was dropped.
//
// # Terms
//
//	frame     u16 little-endian length, then that many bytes of payload
//	header    the first payload of a stream: version, mask, averaging exponent
//	format    words (HD, XLC and the original PPM, which differ in the header's version
//	          and in range) or packets (HD Plus)
//	mask      which of the four channels are in a stripe, in the order 5 V volts,
//	          5 V amperes, 12 V volts, 12 V amperes
//	word      16 bits, little-endian: 14 of data, 2 of flags
//	stripe    one sample of every channel of the mask: one word of mV, two of µA
//	packet    HD Plus: a stripe, its change, a count of repeats, a trigger, or a blank
//	block     HD Plus: 512 bytes of whole packets
//	status    the last byte of a payload of odd length
//	reply     text ending in CR LF and the prompt '>'
//	damage    a place where the bytes cannot be what a module sends
//	hunt      the search for the next frame after damage
//	trail     a row of frames that may be the stream's: one explanation of the bytes
//
// Stripes run across frames. A frame of words is believed whole or not at all: one
// impossible word in it drops all its stripes. Of packets a block is what is believed
// or not; how many stripes were in one that is not can only be estimated.
//
// # After damage
//
// Nothing but its length marks a frame, and around zero nearly every pair of bytes can be one.
// So the hunt for the next frame follows every row of frames that may begin after the damage
// (a trail), all at once, place by place; those that meet are one from there on. A trail whose
// frames hold impossible words is dropped; words far from what was read before weigh against
// it, as does what it passes over; that it begins where the lengths say, but for one lost
// byte, speaks for it. It is believed when two frames of it have come (one, after a lost byte)
// and no other explanation is nearly as good. The cost of a byte is bounded, and the memory.
//
// An end that was not asked for, or that comes after damage, is believed only if a reply follows
// it, or nothing for long: Decoder.Silence, which the owner of the clock calls. Bytes alone decide
// all else, however they are split.
//
// Where the header must come, bytes that are no frame are passed over, up to 64 KiB.
//
// # Errors
//
// Damage is a *FrameError with its byte offset; it travels with the next good
// frame and is no reason to stop; a status that nobody has described is damage,
// too. An error returned by Decoder.Next is a reason: the stream has another format.
// Texts that cannot be understood are errors that quote their beginning.
package wire
