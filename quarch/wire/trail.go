package wire

import "encoding/binary"

// trail is a row of frames, each of which begins where the one before it ends: one
// explanation of the bytes after damage.
type trail struct {
	origin int64 // start of its first frame
	start  int64 // of the frame under judgement

	skipped   int32 // bytes from the damaged frame to origin
	unlikely0 int32 // words of the residue that were unlikely before that frame
	unlikely  int32 // words in the frames before it that are far from what was read before the damage
	stripes   int32 // in them
	frames    int32 // whole ones, of any kind
	data      int32 // of them with stripes
	length    int32 // of the payload of the frame under judgement
	next      int32 // trail in the list

	phase0  int8 // bytes of a stripe that went before the data of the first frame
	kin     kin  // how origin stands to where the lengths say
	missing int8 // bytes that were lost if kin is right
	phase   int8 // bytes of a stripe before the data of the frame under judgement
	residue int8 // of its stripes; noData if it can be text only
	ended   bool // the last frame had an end status: replies only may follow
}

// kin says how the origin of a trail stands to where the lengths say that a frame begins.
type kin byte

const (
	stranger kin = iota
	before       // a little before the damaged frame: the one before that lost its end
	expected     // where the damaged frame ends, or a little before
)

// noData is the residue of a frame that cannot hold samples.
const noData = -1

// score orders explanations: the least is the best. An unlikely word weighs two bits, and one
// that was passed over for no reason a third of that: of samples in the right place few are
// unlikely, in a wrong one most. That one byte was lost or changed is some thousand times as
// likely as any one other place to begin, and the loss of a few bytes is between.
func (t *trail) score() int32 {
	const one, few = 20, 8
	switch {
	case t.kin == stranger:
		return 2*t.unlikely + t.skipped/3
	case t.missing <= 1:
		return 2*t.unlikely - one
	}
	return 2*t.unlikely - few
}

// better reports whether t explains the same end as well as u or better: of two that are
// equal the one that begins first has lost less.
func (t *trail) better(u *trail) bool {
	a, b := t.score(), u.score()
	return a < b || a == b && t.origin <= u.origin
}

// enoughFrames in a row are no accident, whatever is in them.
const enoughFrames = 4

// proved reports whether the frames of t, up to a place, are enough to believe it where
// nothing speaks for another: two with two stripes, or four of any kind, if together they
// are longer than a frame of the stream. Readings that hardly change may hold words that look
// like lengths, each leading to the next, as long as it goes inside one frame. Of what one
// lost byte explains one frame is enough: there may be damage again soon.
func (t *trail) proved(at int64, longest int) bool {
	if t.kin == expected && t.missing == 1 && t.data >= 1 && t.stripes >= 2 {
		return true
	}
	return at-t.origin >= int64(longest)+2 && (t.data >= 2 && t.stripes >= 2 || t.frames >= enoughFrames)
}

// trails are all rows of frames that the bytes so far allow. They advance together, place by
// place. Those that come to one place in one phase of a stripe go the same way from there on
// and are one: so there are never more than the phases times MaxPayload, and each place costs
// the same however many there are.
type trails struct {
	pool []trail
	free int32   // list of unused ones of pool
	due  []int32 // lists of those whose data ends at a place, by the place modulo len(due)

	begin [beginRing][maxPhases]trail // those whose next frame begins at a place
	some  [beginRing][maxPhases]bool  // begin is set

	// What was marked, by the residue of a stripe: the place where it begins modulo its bytes.
	living   [maxStripe]int32 // trails under judgement that may be samples
	lastBad  [maxStripe]int64 // the last place of a word that cannot be
	unlikely [maxStripe]int32 // words that are unlikely, while there are such trails
	lastRaw  int64            // the last place of a byte that is no text
}

const (
	maxStripe = 12
	maxPhases = maxStripe / 2
	dueRing   = MaxPayload + 4 // a frame's data ends less far from its start
	beginRing = 4              // a frame begins less far from the place that is judged
)

// reset forgets all trails; places from at on follow.
func (ts *trails) reset(at int64) {
	due := ts.due
	if due == nil {
		due = make([]int32, dueRing)
	}
	clear(due)
	*ts = trails{pool: append(ts.pool[:0], trail{}), due: due, lastRaw: at - 1}
	for i := range ts.lastBad {
		ts.lastBad[i] = at - 1
	}
}

// offer makes t one of the trails whose next frame begins at its start, unless there is a
// better one in its phase.
func (ts *trails) offer(t trail) {
	k, i := t.start%beginRing, t.phase/2
	if ts.some[k][i] && ts.begin[k][i].better(&t) {
		return
	}
	ts.begin[k][i], ts.some[k][i] = t, true
}

// follow puts t, whose frame begins at its start with the given length, under judgement.
func (ts *trails) follow(t trail, length int) {
	t.length = int32(length)
	if t.residue != noData {
		ts.living[t.residue]++
		t.unlikely0 = ts.unlikely[t.residue]
	} else if length == 1 {
		return
	}
	i := ts.free
	if i == 0 {
		i = int32(len(ts.pool))
		ts.pool = append(ts.pool, trail{})
	} else {
		ts.free = ts.pool[i].next
	}
	list := &ts.due[t.dataEnd()%dueRing]
	t.next, *list = *list, i
	ts.pool[i] = t
}

func (t *trail) dataEnd() int64 { return t.start + 2 + int64(t.length&^1) }

// arrive takes a trail whose frame's data ends at a place off judgement, if there is one that
// may be right. data and text say whether what came before that place may be samples, or text.
func (ts *trails) arrive(at int64) (t trail, data, text, ok bool) {
	list := &ts.due[at%dueRing]
	for *list != 0 {
		i := *list
		t = ts.pool[i]
		*list = t.next
		ts.pool[i], ts.free = trail{next: ts.free}, i
		if data, text = ts.judged(&t); data {
			ts.living[t.residue]--
		}
		if !data && !text {
			continue
		}
		return t, data, text, true
	}
	return trail{}, false, false, false
}

// judged says what the frame of t may be, as far as the bytes were marked.
func (ts *trails) judged(t *trail) (data, text bool) {
	text = t.length > 1 && ts.lastRaw < t.start+2
	return t.residue != noData && ts.lastBad[t.residue] < t.start+2, text
}

// bad notes that the word at a place cannot be one of a stripe's of the residue.
func (ts *trails) bad(at int64, residue int) { ts.lastBad[residue], ts.living[residue] = at, 0 }

// all ranges over the trails under judgement that may be right.
func (ts *trails) all() func(yield func(*trail) bool) {
	return func(yield func(*trail) bool) {
		for i := range ts.pool {
			t := &ts.pool[i]
			if t.length == 0 { // unused
				continue
			}
			if data, text := ts.judged(t); (data || text) && !yield(t) {
				return
			}
		}
	}
}

// rival reports whether an explanation comes near t, whose next frame begins where the
// judgement stands.
func (ts *trails) rival(t *trail) bool {
	enough := t.score() + margin
	for k := range ts.some {
		for i, is := range ts.some[k] {
			if u := &ts.begin[k][i]; is && u != t && u.score() < enough {
				return true
			}
		}
	}
	for u := range ts.all() {
		score := u.score()
		if u.residue != noData {
			score += 2 * (ts.unlikely[u.residue] - u.unlikely0)
		}
		if score < enough {
			return true
		}
	}
	return false
}

// ground judges words by their place in a stripe, against what a module can measure and what
// this one measured before the damage.
type ground struct {
	size   int
	places []byte
	least  [maxPhases]int32 // likely counts, by place: volts, or the high half of a current
	most   [maxPhases]int32
}

// newGround takes what is likely from stripes before the damage, and leaves room around it.
func newGround(size int, places []byte, stripes [][maxStripe]byte) ground {
	g := ground{size: size, places: places}
	for j, place := range places {
		least, most := int32(1<<30), int32(-1<<30)
		for _, s := range stripes {
			x := signed(place, binary.LittleEndian.Uint16(s[2*j:]))
			least, most = min(least, x), max(most, x)
		}
		room := int32(1) // 4096 µA
		if place == placeVolts5 || place == placeVolts12 {
			room = 64 // mV
		}
		room += (most - least) / 2
		g.least[j], g.most[j] = least-room, most+room
		if len(stripes) == 0 || place == placeAmpsLow {
			g.least[j], g.most[j] = -1<<30, 1<<30
		}
	}
	return g
}

// signed returns a word's count, as volts or as the high half of a current.
func signed(place byte, w uint16) int32 {
	switch place {
	case placeVolts5:
		x, _ := volts(w, maxMilliVolts5)
		return x
	case placeVolts12:
		x, _ := volts(w, maxMilliVolts12)
		return x
	}
	return int32(w&halfBits) << 20 >> 20
}

// mark judges the word at a place for each phase of a stripe that trails count on.
func (g *ground) mark(ts *trails, at int64, w uint16) {
	r := int(at % int64(g.size))
	for j, place := range g.places {
		if ts.living[r] > 0 {
			if !plausible(place, w) {
				ts.bad(at, r)
			} else if x := signed(place, w); x < g.least[j] || x > g.most[j] {
				ts.unlikely[r]++
			}
		}
		if r -= 2; r < 0 {
			r += g.size
		}
	}
}
