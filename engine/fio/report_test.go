package fio

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
	"time"

	"powerd/engine"
)

// Three cumulative documents of 50000 IOs a second: the result is the last one,
// 150000 IOs in 3 s.
func TestLastDocumentIsTheResult(t *testing.T) {
	res := mustLoad(t, stageDocument(t, made(t, "cumulative.json")))
	if res.IOs() != 150_000 || res.Read.Runtime != 3*second {
		t.Errorf("%d IOs in %v, want 150000 in 3 s", res.IOs(), res.Read.Runtime)
	}
}

// The same with its last 40 bytes missing: the third document is no document,
// which is noted; the second stands.
func TestCutOffDocumentIsIgnoredWithANote(t *testing.T) {
	whole := made(t, "cumulative.json")
	res := mustLoad(t, stageDocument(t, whole[:len(whole)-40]))
	if res.IOs() != 100_000 {
		t.Errorf("%d IOs, want 100000", res.IOs())
	}
	if text := warned(res, "document-cut-off"); !strings.Contains(text, "byte") {
		t.Errorf("no note that tells where the cut-off document began: %q", text)
	}
}

// Between cumulative documents lie 50000 IOs and one second each, so that the
// previews are 50000 IOs over 1 s, three times.
func TestPreviewIsDifferences(t *testing.T) {
	var s splitter
	p := &preview{spawnNs: 0}
	atNs := int64(0)
	for _, piece := range s.feed([]byte(made(t, "cumulative.json"))) {
		d, err := decode(piece.data)
		if err != nil {
			t.Fatal(err)
		}
		atNs += 1e9
		got, ok := p.next(atNs, d)
		want := engine.Interval{StartNs: atNs - 1e9, EndNs: atNs, Reads: 50_000, ReadBytes: 204_800_000}
		if !ok || got.Interval != want {
			t.Errorf("interval %+v (%v), want %+v", got.Interval, ok, want)
		}
		p.sent()
	}
	if atNs != 3e9 {
		t.Errorf("%d documents, want 3", atNs/1e9)
	}
}

// fio counts the ramp, then begins anew. With a ramp of 1.5 s and IO from 0.4 s
// after the spawn on, the document at 1.3 s (900 ms of runtime) is of the ramp;
// the one at 2.9 s (1000 ms) is of the measured part although its counters are
// higher: they are no difference to the first.
func TestPreviewStartsAnewAfterTheRamp(t *testing.T) {
	ms := func(n uint64) *uint64 { return &n }
	doc := func(ios, runtime uint64) *document {
		return &document{version: Version{3, 33}, Entries: []entry{{
			Read: &totals{IOs: &ios, IOBytes: ms(ios * 4096), RuntimeMs: &runtime},
		}}}
	}
	p := &preview{job: engine.Job{Ramp: 1500 * time.Millisecond}}
	first, ok1 := p.next(1.3e9, doc(9_000, 900))
	p.sent()
	second, ok2 := p.next(2.9e9, doc(10_000, 1000))
	if !ok1 || !first.Ramping || first.Elapsed != 0 || first.Interval.Reads != 9_000 {
		t.Errorf("in the ramp: %+v, want 9000 reads, ramping", first)
	}
	if !ok2 || second.Ramping || second.Elapsed != time.Second || second.Interval.Reads != 10_000 {
		t.Errorf("after the ramp: %+v, want 10000 reads, 1 s elapsed", second)
	}
}

// A reader that misses a preview gets the next one over both intervals.
func TestPreviewThatWasNotTakenIsNotLost(t *testing.T) {
	var s splitter
	p := &preview{}
	pieces := s.feed([]byte(made(t, "cumulative.json")))
	var last engine.Progress
	for i, piece := range pieces {
		d, err := decode(piece.data)
		if err != nil {
			t.Fatal(err)
		}
		last, _ = p.next(int64(i+1)*1e9, d) // never sent
	}
	if last.Interval.Reads != 150_000 || last.Interval.StartNs != 0 {
		t.Errorf("%+v, want 150000 reads from 0 on", last.Interval)
	}
}

// nan and inf are no JSON. They are read as missing, named with file and byte,
// and the run has no IOs: nothing is made of a value that isn't there.
func TestNonFiniteValuesAreMissing(t *testing.T) {
	document := made(t, "not-a-number.json")
	res := mustLoad(t, stageDocument(t, document))
	if res.IOs() != 0 || res.Bytes() != 0 {
		t.Errorf("%d IOs, %d bytes; want none", res.IOs(), res.Bytes())
	}
	var texts []string
	for _, w := range res.Warnings {
		if w.Code == "not-a-number" {
			texts = append(texts, w.Text)
		}
	}
	want := []struct {
		path string
		at   int
	}{
		{"jobs.read.iops_stddev", strings.Index(document, "-nan")},
		{"jobs.write.iops", strings.Index(document, "inf")},
	}
	if len(texts) != len(want) {
		t.Fatalf("warnings %q, want %d", texts, len(want))
	}
	for i, w := range want {
		if !strings.Contains(texts[i], w.path) || !strings.Contains(texts[i], fixtureStep+".json, byte "+strconv.Itoa(w.at)+":") {
			t.Errorf("warning %q, want %s at byte %d of the file", texts[i], w.path, w.at)
		}
	}
}

// "nan" inside a string or a key is text.
func TestNonFiniteInTextStays(t *testing.T) {
	in := `{"inf": "nan, -inf", "n": 1, "t": true, "x":[nan,-inf]}`
	out, found := dropNonFinite([]byte(in), 100)
	if want := `{"inf": "nan, -inf", "n": 1, "t": true, "x":[null,null]}`; string(out) != want {
		t.Errorf("%s, want %s", out, want)
	}
	if len(found) != 2 || found[0].offset != 100+int64(strings.Index(in, "[nan")+1) {
		t.Errorf("found %+v", found)
	}
}

// Both documents are 10000 IOs of 1 MiB in 10 s: 1000 MiB/s = 1048.576 MB/s. The
// old one counts io_bytes in KiB.
func TestBytesByVersion(t *testing.T) {
	for _, name := range []string{"units-3.36.json", "units-2.19.json"} {
		res := mustLoad(t, stageDocument(t, made(t, name)))
		if mbPerS := float64(res.Bytes()) / 1e6 / res.Read.Runtime.Seconds(); mbPerS != 1048.576 || iops(res) != 1000 {
			t.Errorf("%s: %.3f MB/s, %.0f IOPS; want 1048.576 and 1000", name, mbPerS, iops(res))
		}
	}
}

// fio gives the rate twice, in KiB/s cut to whole ones and in bytes/s: within
// one KiB/s they are the same.
func TestRatesOfRealReportsAgree(t *testing.T) {
	for _, fixture := range []string{"3.33-grouped", "3.33-ungrouped", "3.42-job-start"} {
		rep, err := readReport("testdata/" + fixture + "/out.json")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range rep.last.Entries {
			if diff := int64(*e.Read.BWBytes) - int64(*e.Read.BWKiB)*1024; diff < 0 || diff >= 1024 {
				t.Errorf("%s: bw_bytes - bw × 1024 = %d, want 0 to 1023", fixture, diff)
			}
		}
	}
}

// Four clones of 30000 IOPS each, reported one by one and as a group: 120000
// either way.
func TestGroupedAndUngroupedAgree(t *testing.T) {
	for _, name := range []string{"grouped.json", "per-job.json"} {
		res := mustLoad(t, stageDocument(t, made(t, name)))
		if iops(res) != 120_000 {
			t.Errorf("%s: %.0f IOPS, want 120000", name, iops(res))
		}
	}
}

// Two clones reported one by one: sums of the report's totals (17399 + 17730),
// and no percentiles, since two sets of them can't be made one.
func TestPercentilesOfSeveralJobsAreWithheld(t *testing.T) {
	res := mustLoad(t, stage(t, "3.33-ungrouped", ended(1_796_061_000_000, 1_796_061_002_000, 0)))
	if res.Read.IOs != 17_399+17_730 || res.Read.Runtime != 1001*time.Millisecond {
		t.Errorf("%d reads in %v, want 35129 in 1.001 s", res.Read.IOs, res.Read.Runtime)
	}
	if lat := res.Read.Latency; lat.PercentileUs != nil || !strings.Contains(lat.PercentilesWithheldBecause, "2 jobs") {
		t.Errorf("percentiles %v because %q", lat.PercentileUs, lat.PercentilesWithheldBecause)
	}
	grouped := mustLoad(t, stage(t, "3.33-grouped", ended(1_796_061_000_000, 1_796_061_003_000, 0)))
	// clat_ns of the report's reads: mean 235532.446121, 99.99 % 33816576.
	if lat := grouped.Read.Latency; lat.MeanUs != 235532.446121e-3 || lat.PercentileUs["99.99"] != 33816.576 || lat.N != 69860 {
		t.Errorf("latency of the group: %+v", lat)
	}
}

// Pooled moments are those of all samples: {1, 3} and {5, 7, 9} have means 2 and
// 7 and standard deviations √2 and 2; together the mean is 5, the squared
// deviations are 16+4+0+4+16 = 40, so that the deviation is √(40/4) = √10.
func TestMomentsArePooledExactly(t *testing.T) {
	f := func(v float64) *float64 { return &v }
	n := func(v uint64) *uint64 { return &v }
	var p pool
	p.add(&moments{N: n(2), Mean: f(2000), Std: f(1414.2135623730951), Min: f(1000), Max: f(3000)}, 1e-3)
	p.add(&moments{N: n(0), Mean: f(0)}, 1e-3)
	p.add(&moments{N: n(3), Mean: f(7000), Std: f(2000), Min: f(5000), Max: f(9000)}, 1e-3)
	if p.n != 5 || !within(p.mean, 5, 1e-12) || !within(p.std(), 3.1622776601683795, 1e-12) || p.min != 1 || p.max != 9 {
		t.Errorf("n %v mean %v std %v min %v max %v", p.n, p.mean, p.std(), p.min, p.max)
	}
}

// rw and bs stand in the global section, depth and jobs nowhere: they are fio's
// defaults, and marked as such.
func TestOptionsWhereverTheyStand(t *testing.T) {
	res := mustLoad(t, stageDocument(t, made(t, "options-elsewhere.json")))
	if res.Label != "randread 4k qd1" {
		t.Errorf("label %q, want \"randread 4k qd1\"", res.Label)
	}
	if got := strings.Join(res.Defaulted, " "); got != "iodepth=1 numjobs=1" {
		t.Errorf("defaulted %q, want \"iodepth=1 numjobs=1\"", got)
	}
}

// The job's own option goes before the global one.
func TestJobOptionsGoBeforeGlobalOnes(t *testing.T) {
	o := options{
		job:    map[string]string{"readwrite": "randrw", "rwmixread": "70", "numjobs": "4"},
		global: map[string]string{"rw": "read", "bs": "128k", "iodepth": "8", "rwmixread": "10"},
	}
	if got := o.label(); got != "randrw 70/30 128k qd8 jobs4" {
		t.Errorf("label %q", got)
	}
}

// Terse lines before the JSON are text, not a fault.
func TestTextBeforeTheDocument(t *testing.T) {
	res := mustLoad(t, stage(t, "3.33-terse-and-json", ended(1_796_061_000_000, 1_796_061_002_000, 0)))
	if res.IOs() != 23_191 || len(res.Messages) == 0 {
		t.Errorf("%d IOs, %d messages; want 23191 and the terse lines", res.IOs(), len(res.Messages))
	}
}

// However the output arrives, the pieces are the same.
func TestSplitterTakesAnyChunks(t *testing.T) {
	whole := []byte("fio: note\n" + made(t, "cumulative.json") + "\n\nfio: terminating on signal 2\n" + made(t, "units-2.19.json") + "tail")
	var all splitter
	want := append(all.feed(whole), all.close()...)
	for _, size := range []int{1, 7, 4096} {
		var s splitter
		var got []piece
		for rest := whole; len(rest) > 0; {
			n := min(size, len(rest))
			got = append(got, s.feed(rest[:n])...)
			rest = rest[n:]
		}
		got = append(got, s.close()...)
		if len(got) != len(want) {
			t.Fatalf("chunks of %d: %d pieces, want %d", size, len(got), len(want))
		}
		for i := range got {
			if got[i].kind != want[i].kind || got[i].offset != want[i].offset || !bytes.Equal(got[i].data, want[i].data) {
				t.Errorf("chunks of %d: piece %d differs", size, i)
			}
		}
	}
	if len(want) != 7 { // note, three documents, the signal's line, one document, tail
		t.Errorf("%d pieces, want 7", len(want))
	}
}

// One IO of one millisecond is 1000 IOPS that mean nothing.
func TestTooShortARunIsMarked(t *testing.T) {
	res := mustLoad(t, stage(t, "3.33-one-io", ended(1_796_061_000_000, 1_796_061_000_500, 0)))
	if warned(res, "too-short") == "" {
		t.Errorf("no warning about a run of %v", res.Read.Runtime)
	}
}
