package fio

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"

	"powerd/engine"
)

// seeds adds every file of testdata that matches.
func seeds(f *testing.F, pattern string, add func(data []byte)) {
	paths, err := filepath.Glob(filepath.Join("testdata", pattern))
	if err != nil || len(paths) == 0 {
		f.Fatalf("no seeds in %s: %v", pattern, err)
	}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}
		add(data)
	}
}

// Any output: no byte is lost or counted twice by the splitter, and whatever can
// be decoded makes a result whose numbers are finite.
func FuzzOutput(f *testing.F) {
	seeds(f, "*/out.json", func(data []byte) { f.Add(data) })
	seeds(f, "made/*.json", func(data []byte) { f.Add(data) })
	f.Fuzz(func(t *testing.T, data []byte) {
		var s splitter
		end := int64(0)
		for _, p := range append(s.feed(data), s.close()...) {
			if p.offset < end || int(p.offset)+len(p.data) > len(data) || !bytes.Equal(p.data, data[p.offset:int(p.offset)+len(p.data)]) {
				t.Fatalf("piece at %d of %d bytes is not what stands there", p.offset, len(p.data))
			}
			end = p.offset + int64(len(p.data))
		}
		rep, err := collect("fuzz", bytes.NewReader(data))
		if err != nil || rep.last == nil {
			return
		}
		job := engine.Job{Step: "fuzz", Dir: t.TempDir()}
		res := assemble(job, ended(1_796_061_000_000, 1_796_061_001_000, 0), rep)
		for _, v := range []float64{res.Read.Latency.MeanUs, res.Read.Latency.MinUs, res.Write.Latency.MaxUs} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("latency %v", res.Read.Latency)
			}
		}
		p := &preview{}
		p.next(1e9, rep.last)
	})
}

// Any log under any layout: no panic, and what is read makes parts that lie in
// order and are not negative.
func FuzzLog(f *testing.F) {
	seeds(f, "*/*.log", func(data []byte) { f.Add(data, uint8(0), int64(500)) })
	f.Fuzz(func(t *testing.T, data []byte, bits uint8, windowMs int64) {
		if windowMs < 0 || windowMs > 1<<32 {
			return
		}
		l := layout{windowMs: windowMs, both: bits&1 > 0, offset: bits&2 > 0, priority: bits&4 == 0, issue: bits&8 > 0}
		rows, err := parseRows("fuzz.log", bytes.NewReader(data), l, 0)
		if err != nil || len(rows) == 0 {
			return
		}
		if _, hi := extent(rows); hi > 1<<42 {
			return // falls on no clock of a host: recognise refuses it
		}
		epoch := gridStart(rows, windowMs)
		end := int64(math.MinInt64 / 2)
		for _, p := range partsOf(rows, ddirRead, epoch, windowMs, 1) {
			if p.count < 0 || p.endNs <= p.startNs {
				t.Fatalf("part %+v", p)
			}
			if p.startNs < end-floorsNs {
				t.Fatalf("part %+v begins before %d", p, end)
			}
			end = p.endNs
		}
	})
}

func FuzzVersion(f *testing.F) {
	for _, s := range []string{"fio-3.33", "fio-3.36-12-gabc", "fio-2.1.10", "", "fio-"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := ParseVersion(s)
		if err == nil && (v.Major < 0 || v.Minor < 0 || v.Major > 65535 || v.Minor > 65535) {
			t.Fatalf("%q: %v", s, v)
		}
	})
}

func FuzzSize(f *testing.F) {
	for _, s := range []string{"4k", "128KiB", "1m", "4096", "", "k", "9223372036854775807p"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := parseSize(s)
		if err != nil {
			return
		}
		if back, err := parseSize(formatSize(n)); err != nil || back != n {
			t.Fatalf("%q: %d → %q → %d, %v", s, n, formatSize(n), back, err)
		}
	})
}

func FuzzJobFile(f *testing.F) {
	f.Add("[global]\nrw=read\n[a]\nfilename=/dev/x\n")
	f.Add("[a]\nfilename=/x\nsize=1p\noffset_increment=4611686018427387903\nnumjobs=1g\n")
	f.Add("[a]\n[b")
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "job.fio")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		u, err := readUsersFile(engine.Job{Step: "x", JobFile: path})
		if err == nil && (len(u.targets) == 0 || u.needBytes < 0) {
			t.Fatalf("%d targets, %d bytes and no error in %q", len(u.targets), u.needBytes, text)
		}
		withForced(text)
	})
}
