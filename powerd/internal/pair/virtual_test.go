package pair

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"testing"

	"powerd/analysis/pairing"
	"powerd/engine"
	"powerd/engine/twin/model"
	"powerd/powerd/internal/live"
	"powerd/powerd/internal/twinfile"
	"powerd/quarch"
)

const (
	capacityBytes = 1 << 30 // of each twin
	blockBytes    = 128 << 10
	// hostNs is what the host itself takes for a read or write: it does one at a time.
	hostNs = 50_000
)

// virtualIO has 16 workers read or write 128 KiB blocks in [startNs, endNs), each as soon
// as its last IO is done.
func virtualIO(t *testing.T, d *model.Drive, write bool, startNs, endNs int64) pairing.Reads {
	t.Helper()
	out := pairing.Reads{StartNs: startNs}
	for from := startNs; from < endNs; from += 10e6 {
		out.Intervals = append(out.Intervals, engine.Interval{StartNs: from, EndNs: from + 10e6})
	}
	var workers [16]int64 // when each is done
	for i := range workers {
		workers[i] = startNs
	}
	for hostFreeNs := startNs; ; {
		next := 0
		for i, at := range workers {
			if at < workers[next] {
				next = i
			}
		}
		submitNs := max(workers[next], hostFreeNs)
		if submitNs >= endNs {
			return out
		}
		hostFreeNs = submitNs + hostNs
		block := int64(out.Count * 7919 % (capacityBytes / blockBytes))
		ticket, err := d.Admit(submitNs, model.Request{Write: write, OffsetBytes: block * blockBytes, Bytes: blockBytes})
		if err != nil {
			t.Fatal(err)
		}
		d.Done(ticket, ticket.DueNs)
		workers[next] = ticket.DueNs
		out.EndNs = max(out.EndNs, ticket.DueNs)
		out.Count++
		if k := (ticket.DueNs - startNs) / 10e6; int(k) < len(out.Intervals) {
			out.Intervals[k].Reads++
		}
	}
}

// virtualProof is one proof in the drives' own time.
type virtualProof struct {
	startNs, endNs int64 // of the module's stream
	reads          []pairing.Reads
}

// read makes the reads of a proof of d from atNs on.
func read(t *testing.T, d *model.Drive, seed uint64, atNs int64) (out virtualProof) {
	t.Helper()
	p := pairing.Draw(seed)
	out.startNs = virtualIO(t, d, false, atNs, atNs+wake.Nanoseconds()).EndNs
	at := out.startNs + (live.Settling + p.Lead).Nanoseconds()
	for i, length := range p.Bursts {
		reads := virtualIO(t, d, false, at, at+length.Nanoseconds())
		out.reads = append(out.reads, reads)
		at = max(at+length.Nanoseconds(), reads.EndNs) + p.Pauses[i].Nanoseconds()
	}
	out.endNs = at
	return out
}

// virtualMap is the time map of stripes from offsetNs on, which is off by errNs and
// knows only that it is within u95Ns.
type virtualMap struct{ offsetNs, errNs, periodNs, u95Ns float64 }

func (m virtualMap) TimeOf(k float64) (ns, u95Ns float64) {
	return m.offsetNs + m.errNs + k*m.periodNs, m.u95Ns
}
func (m virtualMap) IndexAt(ns float64) float64 { return (ns - m.offsetNs - m.errNs) / m.periodNs }

// virtualBlocks are what a module in d's supply measures in [startNs, endNs).
func virtualBlocks(d *model.Drive, startNs, endNs, periodNs int64) iter.Seq2[*quarch.Block, error] {
	rails := []string{"5v", "12v"}
	return func(yield func(*quarch.Block, error) bool) {
		const n = 1024
		for first := int64(0); startNs+first*periodNs < endNs; first += n {
			v, a := [][]int32{make([]int32, n), make([]int32, n)}, [][]int32{make([]int32, n), make([]int32, n)}
			d.Fill(startNs+first*periodNs, periodNs, rails, v, a)
			b := quarch.Block{First: uint64(first), PeriodNs: periodNs}
			for r, name := range rails {
				b.Traces = append(b.Traces, quarch.Trace{Rail: quarch.Rail(name), V: v[r], A: a[r], LSBVolts: 1e-3, LSBAmps: 1e-6})
			}
			if !yield(&b, nil) {
				return
			}
		}
	}
}

// histories are what a drive has been through before it is looked for.
func histories() []string { return []string{"idle", "asleep", "read", "written"} }

// lived has d go through a history from atNs on, and returns when that ends.
func lived(t *testing.T, d *model.Drive, history string, r *rand.Rand, atNs int64) int64 {
	t.Helper()
	long := 200e6 + r.Int64N(9e9)
	switch history {
	case "asleep": // half an hour: each drive is in its deepest state
		return atNs + 1800e9 + r.Int64N(60e9)
	case "read":
		return virtualIO(t, d, false, atNs, atNs+long).EndNs
	case "written":
		return virtualIO(t, d, true, atNs, atNs+long).EndNs
	}
	return atNs + long
}

// Of two drives on two modules, in the drives' own time: each module says yes to the
// drive that hangs on it and no to the other, every time, whichever twins the two are, at
// their idle noise and at three times as much of it, whatever they have been through
// before, while the other drive is idle, and while it is being looked for in the very
// same seconds.
func TestProofsInVirtualTime(t *testing.T) {
	proofs := 4 // two answers each
	if os.Getenv("POWERD_TEST_LONG") != "" {
		proofs = 50
	}
	var seed uint64
	for _, name := range twinfile.Names() {
		for _, k := range []float64{1, 3} {
			for _, both := range []bool{false, true} {
				seed++
				s := subject{name: name, k: k, both: both, seed: seed}
				t.Run(fmt.Sprintf("%s, noise times %g, both %v", name, k, both), func(t *testing.T) {
					t.Parallel()
					s.prove(t, proofs)
				})
			}
		}
	}
}

// subject is a twin that is looked for.
type subject struct {
	name string
	k    float64 // times its idle noise
	both bool    // the other drive is looked for too
	seed uint64
}

// prove looks for s in its own module's power and in that of each other twin.
func (s subject) prove(t *testing.T, proofs int) {
	a, names, others := emulated(t, s.name, s.k, 1), twinfile.Names(), map[string]*model.Drive{}
	r := rand.New(rand.NewPCG(s.seed, 0))
	late := 0
	at := int64(20e9) // all are settled
	for i := range proofs {
		name := names[(i+int(s.seed))%len(names)]
		if others[name] == nil {
			others[name] = emulated(t, name, s.k, 2)
		}
		b := others[name]
		history := histories()[r.IntN(len(histories()))]
		at = max(lived(t, a, history, r, at), lived(t, b, history, r, at)) + 1e9 + r.Int64N(1e9)
		var right, wrong pairing.Evidence
		right, wrong, at = proveBoth(t, a, b, s.both, r, at)
		if right.Unclear { // as Prove does
			right, _, at = proveBoth(t, a, b, s.both, r, at)
		}
		if !right.Confirmed {
			t.Errorf("proof %d, %s before: it is not confirmed: %s", i, history, describe(right))
		}
		if wrong.Confirmed {
			t.Errorf("proof %d, %s before: it is confirmed on the module of %s: %s", i, history, name, describe(wrong))
		}
		if wrong.Unclear {
			late++ // it takes a second proof, more than 10 s
		}
	}
	if late > 0 && !s.both || late > 1 { // one in 10³ where two drives are read from at once
		t.Errorf("%d of %d wrong pairings are unclear", late, proofs)
	}
}

// proveBoth reads from a, and from b if both are looked for, and asks the modules of both
// for the reads of a.
func proveBoth(t *testing.T, a, b *model.Drive, both bool, r *rand.Rand, atNs int64) (right, wrong pairing.Evidence, endNs int64) {
	t.Helper()
	p := read(t, a, r.Uint64(), atNs)
	endNs = p.endNs
	if both {
		endNs = max(endNs, read(t, b, r.Uint64(), atNs+r.Int64N(50e6)).endNs)
	}
	const periodNs = 1_024_000
	m := virtualMap{float64(p.startNs), float64(r.Int64N(6e6) - 3e6), periodNs, 3e6}
	judged := func(d *model.Drive) pairing.Evidence {
		e, err := pairing.Judge(pairing.Question{Target: "a", Module: "of a or b", Reads: p.reads}, m, virtualBlocks(d, p.startNs, p.endNs, periodNs))
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	return judged(a), judged(b), endNs
}
