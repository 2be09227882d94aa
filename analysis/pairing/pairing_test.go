package pairing

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"powerd/engine"
	"powerd/quarch"
)

// tries returns how often a case is tried: 20 times as often in the long tests.
func tries(n int) int {
	if os.Getenv("POWERD_TEST_LONG") != "" {
		return 20 * n
	}
	return n
}

const startNs = 5_000_000_000

// judged makes a proof and judges what a module saw.
func judged(t *testing.T, seed uint64, s sampling, power func(p proof, r *rand.Rand) watts) (proof, Evidence) {
	t.Helper()
	p := draw(seed, startNs)
	r := rand.New(rand.NewPCG(seed, 1))
	m, blocks := s.blocks(p, plus(steady(3), power(p, r)), r)
	e, err := Judge(Question{Target: "/dev/sdx", Module: "QTL1999-02-001", Drive: "Z1", Reads: p.reads}, m, blocks)
	if err != nil {
		t.Fatal(err)
	}
	if e.Confirmed != (e.Why == "") || e.Method != MethodBursts || e.Module != "QTL1999-02-001" || e.Drive != "Z1" || len(e.Bursts) != BurstCount {
		t.Fatalf("evidence %+v", e)
	}
	return p, e
}

// A drive that draws more while it reads is confirmed, whatever else it does when idle,
// and its ΔP is what it draws more.
func TestRightDriveIsConfirmed(t *testing.T) {
	for _, c := range []struct {
		name     string
		sampling sampling
		deltaW   float64 // what reads add
		withinW  float64 // ΔP of each burst may be off by so much
		power    func(p proof, r *rand.Rand) watts
	}{
		// The idle noise over half a second and more is within 10 mW of its mean: bumps
		// give one mean 8 ms · 180 mW / 0.4 s = 3.6 mW more than another.
		{"quiet", streamed(), 2.2, 30e-3, func(p proof, _ *rand.Rand) watts { return plus(idle(1), during(2.2, p.spans(0))) }},
		{"noise three times as strong", streamed(), 2.2, 90e-3, func(p proof, _ *rand.Rand) watts { return plus(idle(3), during(2.2, p.spans(0))) }},
		{"a fifth of a watt", streamed(), 0.2, 30e-3, func(p proof, _ *rand.Rand) watts { return plus(idle(1), during(0.2, p.spans(0))) }},
		// A lag of 40 ms is within what is left out at edges.
		{"late by 40 ms", streamed(), 2.2, 30e-3, func(p proof, _ *rand.Rand) watts { return plus(idle(1), during(2.2, p.spans(40e6))) }},
		// 50 mW/s cancel where the parts before and after are equally long; they differ by
		// up to 1 s, so by half a second in their middles: 25 mW.
		{"warming up", streamed(), 2.2, 60e-3, func(p proof, _ *rand.Rand) watts {
			return plus(idle(1), during(2.2, p.spans(0)), func(ns int64, _ *rand.Rand) float64 { return 50e-3 * float64(ns-startNs) * 1e-9 })
		}},
		// 0.5 W on 0.3 s of a part of at least 0.4 s makes it 0.375 W higher at most.
		{"busy after its reads", streamed(), 2.2, 0.5, func(p proof, _ *rand.Rand) watts {
			tails := p.spans(0)
			for i := range tails {
				tails[i] = span{tails[i].to, tails[i].to + 300e6}
			}
			return plus(idle(1), during(2.2, p.spans(0)), during(0.5, tails))
		}},
		{"cleaning up now and then", streamed(), 2.2, 0.9, func(p proof, r *rand.Rand) watts {
			return plus(idle(1), during(2.2, p.spans(0)), during(0.8, telegraph(r, p.startNs, p.endNs, 0.2e9, 2e9)))
		}},
		// A disk's arm: within its reads the power scatters by 1.6 W from one ms to the next, a
		// mean over 0.4 s by 1.6/√400 = 80 mW.
		{"rough while it reads", streamed(), 2.2, 0.4, func(p proof, _ *rand.Rand) watts {
			in := during(1, p.spans(0))
			return plus(idle(1), func(ns int64, r *rand.Rand) float64 { return in(ns, r) * (2.2 + 1.6*r.NormFloat64()) })
		}},
		{"every third stripe missing", sampling{periodNs: 1e6, u95Ns: 3e6, missing: func(_ int64, r *rand.Rand) bool { return r.IntN(3) == 0 }}, 2.2, 30e-3, func(p proof, _ *rand.Rand) watts { return plus(idle(1), during(2.2, p.spans(0))) }},
		{"a rail missing for 150 ms of every second, the first included", sampling{periodNs: 1e6, u95Ns: 3e6, missing: func(ns int64, _ *rand.Rand) bool { return ns/1e6%1000 < 150 }}, 2.2, 30e-3, func(p proof, _ *rand.Rand) watts { return plus(idle(1), during(2.2, p.spans(0))) }},
		{"stripes of 32 ms", sampling{periodNs: 32_768_000, u95Ns: 5e6}, 2.2, 50e-3, func(p proof, _ *rand.Rand) watts { return plus(idle(1), during(2.2, p.spans(0))) }},
		// Three readings of a part, one of which meets a bump: 60 mW.
		{"polled", polledTenTimes(), 2.2, 0.2, func(p proof, _ *rand.Rand) watts { return plus(idle(1), during(2.2, p.spans(0))) }},
		{"polled, noise three times as strong", polledTenTimes(), 2.2, 0.4, func(p proof, _ *rand.Rand) watts { return plus(idle(3), during(2.2, p.spans(0))) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(tries(60)) {
				_, e := judged(t, seed, c.sampling, c.power)
				if !e.Confirmed {
					t.Fatalf("proof %d: %s", seed, e.Why)
				}
				for i, b := range e.Bursts {
					if d := *b.DeltaW - c.deltaW; math.Abs(d) > c.withinW {
						t.Fatalf("proof %d, burst %d: ΔP %.4f W, want %.4f ± %.4f", seed, i+1, *b.DeltaW, c.deltaW, c.withinW)
					}
				}
			}
		})
	}
}

// Where the readers were held up for 200 ms in the middle of a burst, the power dips
// with them, and that is no sign against the pairing.
func TestReadersHeldUp(t *testing.T) {
	for seed := range uint64(tries(100)) {
		p := draw(seed, startNs)
		r := rand.New(rand.NewPCG(seed, 1))
		on := during(2.2, p.spans(0))
		var held []span
		for b := range p.reads {
			x := &p.reads[b]
			from := (x.StartNs+x.EndNs)/2 - 100e6
			held = append(held, span{from, from + 200e6})
			for i := range x.Intervals {
				if iv := &x.Intervals[i]; iv.StartNs >= from && iv.EndNs <= from+200e6 {
					x.Count -= int(iv.Reads)
					iv.Reads = 0
				}
			}
		}
		m, blocks := streamed().blocks(p, plus(steady(3), idle(1), on, during(-2.2, held)), r)
		e, err := Judge(Question{Reads: p.reads}, m, blocks)
		if err != nil || !e.Confirmed {
			t.Fatalf("proof %d: %s, %v", seed, e.Why, err)
		}
	}
}

// What is not the reads' power confirms nothing, however it comes and goes.
func TestWrongDriveIsNot(t *testing.T) {
	none := func(k float64) func(proof, *rand.Rand) watts {
		return func(proof, *rand.Rand) watts { return idle(k) }
	}
	for _, c := range []struct {
		name     string
		sampling sampling
		power    func(p proof, r *rand.Rand) watts
	}{
		{"idle", streamed(), none(1)},
		{"idle, noise three times as strong", streamed(), none(3)},
		{"idle, polled", polledTenTimes(), none(3)},
		{"cleaning up", streamed(), func(p proof, r *rand.Rand) watts {
			return plus(idle(1), during(1, telegraph(r, p.startNs, p.endNs, 0.2e9, 0.5e9)))
		}},
		{"cooling down", streamed(), func(proof, *rand.Rand) watts {
			return plus(idle(1), func(ns int64, _ *rand.Rand) float64 { return math.Exp(-float64(ns-startNs) / 2e9) })
		}},
		{"under steady load", streamed(), func(proof, *rand.Rand) watts {
			return plus(idle(1), func(_ int64, r *rand.Rand) float64 { return 3 + 0.5*r.NormFloat64() })
		}},
		{"under a load that begins and ends at random", streamed(), func(p proof, r *rand.Rand) watts {
			return plus(idle(1), during(2.2, telegraph(r, p.startNs, p.endNs, 1e9, 1e9)))
		}},
		{"under a load that begins and ends at random, polled", polledTenTimes(), func(p proof, r *rand.Rand) watts {
			return plus(idle(1), during(2.2, telegraph(r, p.startNs, p.endNs, 1e9, 1e9)))
		}},
		// A second of load and a second without, from any moment on.
		{"under a load with the same period", streamed(), func(_ proof, r *rand.Rand) watts {
			phase := r.Int64N(2e9)
			return plus(idle(1), func(ns int64, _ *rand.Rand) float64 { return 2.2 * float64((ns+phase)/1e9%2) })
		}},
		// The load that fits this very proof best of all regular ones: its mean period, in step
		// with the first burst.
		{"under a load in step", streamed(), func(p proof, _ *rand.Rand) watts {
			period := (p.reads[2].StartNs - p.reads[0].StartNs) / 2
			return plus(idle(1), func(ns int64, _ *rand.Rand) float64 {
				if d := ns - p.reads[0].StartNs; d >= -period/2 && (d+10*period)%period < p.reads[0].EndNs-p.reads[0].StartNs {
					return 2.2
				}
				return 0
			})
		}},
		{"under another proof of the same moment", streamed(), func(p proof, r *rand.Rand) watts {
			return plus(idle(1), during(2.2, draw(r.Uint64(), p.startNs).spans(0)))
		}},
		// A drive that spins or cleans less while it reads.
		{"drawing less while it reads", streamed(), func(p proof, _ *rand.Rand) watts { return plus(idle(1), during(-1, p.spans(0))) }},
		// As the reads, but later than any drive.
		{"300 ms late", streamed(), func(p proof, _ *rand.Rand) watts { return plus(idle(1), during(2.2, p.spans(300e6))) }},
		// Two of three bursts are not three.
		{"two bursts of three", streamed(), func(p proof, r *rand.Rand) watts {
			s := p.spans(0)
			out := r.IntN(3)
			return plus(idle(1), during(2.2, append(s[:out:out], s[out+1:]...)))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(tries(120)) {
				if _, e := judged(t, seed, c.sampling, c.power); e.Confirmed {
					t.Fatalf("proof %d is confirmed: %s", seed, describe(e))
				}
			}
		})
	}
}

func describe(e Evidence) string {
	b, err := json.Marshal(e)
	return fmt.Sprint(string(b), err)
}

// σ is what ΔP really scatters by where reads do not show, or a little more: with noise
// that is like its neighbours for 50 ms, bumps, and 7 s to learn both from. Were σ
// right and ΔP normal, 4.6 % of all were beyond 2 σ and 0.27 % beyond 3; the bound
// leaves room for σ being learnt from few blocks.
func TestSigmaIsWhatDeltaScattersBy(t *testing.T) {
	for _, k := range []float64{1, 3} {
		var squares, beyond3, all float64
		for seed := range uint64(tries(150)) {
			_, e := judged(t, seed, streamed(), func(proof, *rand.Rand) watts { return idle(k) })
			for _, b := range e.Bursts {
				z := *b.DeltaW / *b.SigmaW
				squares, all = squares+z*z, all+1
				if math.Abs(z) > 3 {
					beyond3++
				}
			}
		}
		if rms := math.Sqrt(squares / all); rms < 0.5 || rms > 1.1 || beyond3/all > 0.01 {
			t.Errorf("noise × %g: ΔP/σ has a root mean square of %.2f, and %.2f %% are beyond 3", k, rms, beyond3/all*100)
		}
	}
}

// The plain formula for the error of a mean, s/√n with n in milliseconds, would have σ
// several times too small: the memory of 50 ms makes it √(2·50 ms/1 ms) = 10 times
// larger for the wandering part. This is what the blocks are for.
func TestPlainFormulaWouldBeWrong(t *testing.T) {
	p, e := judged(t, 1, streamed(), func(proof, *rand.Rand) watts { return idle(1) })
	// In watts: 10 mW wandering and 180 mW · √(0.008·0.992) = 16 mW of bumps make 19 mW a ms.
	n := float64(p.reads[0].EndNs-p.reads[0].StartNs) * 1e-6
	if plain := 19e-3 * math.Sqrt(1.5/n); *e.Bursts[0].SigmaW < 2*plain {
		t.Errorf("σ %.3g W, the plain formula gives %.3g W", *e.Bursts[0].SigmaW, plain)
	}
}

// What stands in the way of an answer is said in words that name target and module.
func TestWhyNot(t *testing.T) {
	right := func(p proof, _ *rand.Rand) watts { return plus(idle(1), during(2.2, p.spans(0))) }
	without := func(gap func(p proof) span) func(p proof) sampling {
		return func(p proof) sampling {
			s, g := streamed(), gap(p)
			s.missing = func(ns int64, _ *rand.Rand) bool { return ns >= g.from && ns < g.to }
			return s
		}
	}
	same := func(proof) sampling { return streamed() }
	for _, c := range []struct {
		name     string
		sampling func(p proof) sampling
		power    func(p proof, r *rand.Rand) watts
		reads    func(rs []Reads) []Reads
		want     []string

		unanswered bool // the samples or the reads were no good, and say nothing of the drive
	}{
		{"no IO in the power", same, func(proof, *rand.Rand) watts { return idle(1) }, nil, []string{"IO on /dev/sdx does not show on module QTL1999-02-001: ", " mW where at least ", " mW was needed in burst "}, false},
		{"later than a drive can be", same, func(p proof, _ *rand.Rand) watts { return plus(idle(1), during(2.2, p.spans(160e6))) }, nil, []string{"+160 ms from where the reads were"}, false},
		{"a burst without samples", without(func(p proof) span { return p.spans(0)[1] }), right, nil, []string{"too few samples: burst 2 has 0 %"}, true},
		{"no samples before", without(func(p proof) span { return span{p.startNs, p.reads[0].StartNs} }), right, nil, []string{"too few samples: the time before burst 1"}, true},
		{"no samples after", without(func(p proof) span { return span{p.reads[2].EndNs, p.endNs} }), right, nil, []string{"the time after burst 3"}, true},
		{"placed badly", func(proof) sampling { return sampling{periodNs: 1e6, u95Ns: 200e6} }, right, nil, []string{"placed in time within ± 200 ms only"}, true},
		{"not placed", func(proof) sampling { return sampling{periodNs: 1e6, u95Ns: math.Inf(1)} }, right, nil, []string{"the samples of module QTL1999-02-001 cannot be placed in time"}, true},
		{"a burst without reads", same, right, func(rs []Reads) []Reads { rs[2].Count = 0; return rs }, []string{"in burst 3 no read of /dev/sdx completed"}, true},
		{"two bursts", same, right, func(rs []Reads) []Reads { return rs[:2] }, []string{"only 2 of 3 bursts"}, true},
	} {
		p := draw(3, startNs)
		r := rand.New(rand.NewPCG(3, 1))
		m, blocks := c.sampling(p).blocks(p, plus(steady(3), c.power(p, r)), r)
		reads := p.reads
		if c.reads != nil {
			reads = c.reads(reads)
		}
		e, err := Judge(Question{Target: "/dev/sdx", Module: "QTL1999-02-001", Reads: reads}, m, blocks)
		if err != nil || e.Confirmed || e.Unanswered != c.unanswered {
			t.Errorf("%s: %s, unanswered %v, %v", c.name, describe(e), e.Unanswered, err)
		}
		for _, want := range c.want {
			if !strings.Contains(e.Why, want) {
				t.Errorf("%s: %q does not say %q", c.name, e.Why, want)
			}
		}
	}
}

// A module that gave nothing has not answered.
func TestNoSamples(t *testing.T) {
	e, err := Judge(Question{Module: "QTL1999-02-001", Reads: draw(1, startNs).reads}, clockMap{0, 1e6, 1e6}, func(func(*quarch.Block, error) bool) {})
	if err != nil || e.Confirmed || !e.Unanswered || e.Why != "module QTL1999-02-001 gave no samples" {
		t.Errorf("%+v, %v", e, err)
	}
}

// A step of half a count in a power without any noise is above 5 σ, since σ is 0, but
// not above what the module resolves: 1 µA at 5 V and at 12 V, 17 µW.
func TestBelowTheModulesResolution(t *testing.T) {
	for _, c := range []struct {
		deltaW float64
		want   bool
	}{{10e-6, false}, {25e-6, true}} {
		_, e := judged(t, 1, streamed(), func(p proof, _ *rand.Rand) watts { return during(c.deltaW, p.spans(0)) })
		if e.Confirmed != c.want {
			t.Errorf("a step of %g W: confirmed %v (%s)", c.deltaW, e.Confirmed, e.Why)
		}
	}
}

// Each burst says how much later its power lies, in steps of 10 ms.
func TestOffsets(t *testing.T) {
	for _, lateMs := range []int64{0, 20, 40} {
		_, e := judged(t, 5, streamed(), func(p proof, _ *rand.Rand) watts { return plus(idle(1), during(2.2, p.spans(lateMs*1e6))) })
		for i, b := range e.Bursts {
			if math.Abs(*b.OffsetMs-float64(lateMs)) > 10 {
				t.Errorf("late by %d ms: burst %d says %g ms", lateMs, i+1, *b.OffsetMs)
			}
		}
	}
}

// Blocks that cannot be read are an error, and no evidence against anybody.
func TestBrokenBlocks(t *testing.T) {
	broken := errors.New("torn")
	_, err := Judge(Question{}, clockMap{0, 1e6, 1e6}, func(yield func(*quarch.Block, error) bool) { yield(nil, broken) })
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "judge a pairing") {
		t.Errorf("%v", err)
	}
}

// A pattern is short enough, and no two of its bursts or pauses are alike. The same
// seed gives the same one, and another one another.
func TestPatterns(t *testing.T) {
	seen := map[Pattern]bool{}
	for seed := range uint64(2000) {
		p := Draw(seed)
		if p != Draw(seed) || seen[p] {
			t.Fatalf("seed %d: %+v is no function of its seed alone", seed, p)
		}
		seen[p] = true
		if d := p.Duration(); d > 8*time.Second || d < 4*time.Second {
			t.Errorf("seed %d: %v long", seed, d)
		}
		for i := range BurstCount {
			if p.Bursts[i] < 500*time.Millisecond || p.Bursts[i] >= 1500*time.Millisecond || p.Lead < 500*time.Millisecond {
				t.Errorf("seed %d: %+v", seed, p)
			}
			if j := (i + 1) % BurstCount; (p.Bursts[i] - p.Bursts[j]).Abs() < 150*time.Millisecond {
				t.Errorf("seed %d: bursts alike in %+v", seed, p)
			}
		}
		if (p.Pauses[0] - p.Pauses[1]).Abs() < 150*time.Millisecond {
			t.Errorf("seed %d: pauses alike in %+v", seed, p)
		}
	}
}

// A slow drive completes a read in every second interval, by chance: nobody is held up.
// Readers that stand still for 200 ms are, for that long and its 20 ms on either side.
func TestHeldUp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	slow := make([]engine.Interval, 100)
	fast := make([]engine.Interval, 100)
	for i := range slow {
		slow[i].Reads = uint64(r.IntN(2))
		fast[i].Reads = 12
		fast[i].StartNs = int64(i)
	}
	if got := heldUp(slow); len(got) != 0 {
		t.Errorf("a slow drive is held up in %v", got)
	}
	for i := 40; i < 60; i++ {
		fast[i].Reads = 0
	}
	got := heldUp(fast)
	if len(got) < 18 || len(got) > 24 || got[0].StartNs < 38 || got[len(got)-1].StartNs > 61 {
		t.Errorf("held up in %v", got)
	}
}
