package pair

import (
	"cmp"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"testing"

	"powerd/analysis/pairing"
	"powerd/engine"
	"powerd/engine/twin/model"
	"powerd/engine/twin/model/modeltest"
	"powerd/quarch"
)

// noisy returns the published drive with its idle noise and its instrument's k times as
// strong.
func noisy(t *testing.T, k float64, seed uint64) *model.Drive {
	t.Helper()
	c := modeltest.Published(4)
	c.Seed = seed
	c.IdleNoise.SigmaW *= k
	c.IdleBump.Amps *= k
	for _, r := range []*model.Rail{&c.Rail5V, &c.Rail12V} {
		r.NoiseAmps, r.NoiseVolts = r.NoiseAmps*k, r.NoiseVolts*k
	}
	d, err := model.New(c)
	if err != nil {
		t.Fatal(err)
	}
	d.SetPower(0, true)
	return d
}

// virtualReads has 16 readers read 128 KiB blocks from d in [startNs, endNs), each as soon
// as its last read is done.
func virtualReads(t *testing.T, d *model.Drive, startNs, endNs int64) pairing.Reads {
	t.Helper()
	const block = 128 << 10
	out := pairing.Reads{StartNs: startNs}
	for from := startNs; from < endNs; from += 10e6 {
		out.Intervals = append(out.Intervals, engine.Interval{StartNs: from, EndNs: from + 10e6})
	}
	var readers [16]int64 // when each is done
	for i := range readers {
		readers[i] = startNs
	}
	for {
		next := 0
		for i, at := range readers {
			if at < readers[next] {
				next = i
			}
		}
		submitNs := readers[next]
		if submitNs >= endNs {
			return out
		}
		ticket, err := d.Admit(submitNs, model.Request{OffsetBytes: int64(out.Count*7919%16384) * block, Bytes: block})
		if err != nil {
			t.Fatal(err)
		}
		d.Done(ticket, ticket.DueNs)
		readers[next] = ticket.DueNs
		out.EndNs = max(out.EndNs, ticket.DueNs)
		out.Count++
		if k := (ticket.DueNs - startNs) / 10e6; int(k) < len(out.Intervals) {
			out.Intervals[k].Reads++
		}
	}
}

// virtualProof reads from d in a pattern from startNs on, and returns when that ends.
func virtualProof(t *testing.T, d *model.Drive, seed uint64, startNs int64) (reads []pairing.Reads, endNs int64) {
	t.Helper()
	p := pairing.Draw(seed)
	at := startNs + p.Lead.Nanoseconds()
	for i, length := range p.Bursts {
		reads = append(reads, virtualReads(t, d, at, at+length.Nanoseconds()))
		at += (length + p.Pauses[i]).Nanoseconds()
	}
	return reads, at
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

// Of two drives on two modules, in the drives' own time: each module says yes to the
// drive that hangs on it and no to the other, every time, at the published idle noise
// and at three times as much of it, while the other drive is idle, and while it is being
// looked for in the very same seconds.
func TestProofsInVirtualTime(t *testing.T) {
	proofs := 40 // two answers each
	if os.Getenv("POWERD_TEST_LONG") != "" {
		proofs = 1000
	}
	for _, k := range []float64{1, 3} {
		for _, both := range []bool{false, true} {
			t.Run(fmt.Sprintf("noise times %g, both %v", k, both), func(t *testing.T) {
				t.Parallel()
				a, b := noisy(t, k, 1), noisy(t, k, 2)
				at := int64(10e9) // both are settled
				for i := range uint64(proofs / 4) {
					r := rand.New(rand.NewPCG(i, uint64(k)))
					reads, endNs := virtualProof(t, a, 2*i, at)
					if both {
						_, end := virtualProof(t, b, 2*i+1, at+r.Int64N(50e6))
						endNs = max(endNs, end)
					}
					const periodNs = 1_024_000
					m := virtualMap{float64(at), float64(r.Int64N(6e6) - 3e6), periodNs, 3e6}
					for _, c := range []struct {
						drive *model.Drive
						want  bool
					}{{a, true}, {b, false}} {
						q := pairing.Question{Target: "a", Module: map[bool]string{true: "of a", false: "of b"}[c.want], Reads: reads}
						e, err := pairing.Judge(q, m, virtualBlocks(c.drive, at, endNs, periodNs))
						if err != nil || e.Confirmed != c.want {
							t.Fatalf("proof %d: module %s says %v, %v: %s", i, q.Module, e.Confirmed, err, cmp.Or(e.Why, "confirmed"))
						}
					}
					at = endNs + 1e9
				}
			})
		}
	}
}
