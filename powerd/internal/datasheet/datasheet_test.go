package datasheet

import (
	"strings"
	"testing"

	"powerd/analysis/limits"
	"powerd/quarch"
)

// sheet is a drive file of one drive with one claim, which a case writes.
func sheet(claim string) string {
	return "name: acme\nrails: [5v, 12v]\nclaims:\n  - " + strings.ReplaceAll(strings.TrimSpace(claim), "\n", "\n    ") + "\n"
}

func parse(t *testing.T, text string) *Sheet {
	t.Helper()
	s, err := Parse("acme.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A claim is kept in the unit of its quantity, whatever it was written in.
func TestValuesComeInTheUnitOfTheirQuantity(t *testing.T) {
	for _, tc := range []struct {
		quantity, value, more string
		want                  float64
		unit                  string
	}{
		{"start_current", "0.7 A", "rail: 5v\nwindow: unstated", 0.7, "A"},
		{"start_current", "400mA", "rail: 12v\nwindow: 10ms", 0.4, "A"},
		{"idle_power", "2720 mW", "", 2.72, "W"},
		{"iops", "110 kIOPS", "workload: {rw: randread, bs: 4k}", 110_000, "IOPS"},
		{"iops", "110000 IOPS", "workload: {rw: randread, bs: 4096}", 110_000, "IOPS"},
		{"throughput", "750 MB/s", "workload: {rw: read, bs: 128k}", 750, "MB/s"},
		{"throughput", "1812 MiB/s", "workload: {rw: read, bs: 128k}", 1812 * 1.048576, "MB/s"},
		{"latency_mean", "115 us", "workload: {rw: randread, bs: 4k, qd: 1}", 115, "µs"},
		{"latency_mean", "0.115 ms", "workload: {rw: randread, bs: 4k, qd: 1}", 115, "µs"},
	} {
		s := parse(t, sheet("name: x\nquantity: "+tc.quantity+"\nkind: max\nvalue: "+tc.value+"\nsource: manual\n"+tc.more))
		if c := s.Claims[0]; c.Limit != tc.want || c.Unit != tc.unit {
			t.Errorf("%s %s: %g %s, want %g %s", tc.quantity, tc.value, c.Limit, c.Unit, tc.want, tc.unit)
		}
	}
}

func TestAClaimSaysWhatItIsOf(t *testing.T) {
	s := parse(t, `
name: acme-5000
vendor: Acme
model: 5000
capacity: 3.84 TB
rails: [5v, 12v]
spin_up: true
claims:
  - {name: start, quantity: start_current, kind: max, value: 2 A, rail: 12v, window: 10ms, source: manual 7.2}
  - {name: idle, quantity: idle_power, kind: typical, value: 5 W, source: manual 7.3}
  - {name: mix, quantity: iops, kind: min, value: 120 kIOPS, workload: {rw: randrw, bs: 4k, read_pct: 70, qd: 32, state: steady}, source: manual 5}
`)
	if s.CapacityBytes != 3_840_000_000_000 || !s.SpinUp || !s.Has(quarch.Rail12V) || s.Has(quarch.Rail3V3) {
		t.Errorf("%+v", s)
	}
	for i, want := range []string{"start current, 12 V", "idle power, total", "IOPS, randrw 4k 70 % reads, queue depth 32, steady"} {
		if s.Claims[i].What != want {
			t.Errorf("claim %d is of %q, want %q", i, s.Claims[i].What, want)
		}
	}
	if c := s.Claims[0]; c.WindowUs != 10_000 || c.Source != "manual 7.2" {
		t.Errorf("%+v", c)
	}
	if got := s.Claims[1].Rail; got != limits.RailTotal {
		t.Errorf("idle power without a rail is of %q", got)
	}
}

// Each slip is told with its line, its key and what is allowed.
func TestASlipIsRefusedWithItsLine(t *testing.T) {
	for _, tc := range []struct{ claim, want string }{
		{"name: x\nquantity: start_current\nkind: max\nvalue: 0.7\nrail: 5v\nwindow: unstated\nsource: s", `acme.yaml:7: value: "0.7": 0.7 of what? write its unit, one of A, mA`},
		{"name: x\nquantity: start_current\nkind: max\nvalue: 0.7 W\nrail: 5v\nwindow: unstated\nsource: s", `acme.yaml:7: value: "0.7 W": the unit "W" does not fit; it is one of A, mA`},
		{"name: x\nquantity: inrush\nkind: max\nvalue: 0.7 A\nsource: s", `acme.yaml:5: quantity: "inrush": it is one of start_current, start_power, idle_power,`},
		{"name: x\nquantity: start_current\nkind: max\nvalue: 0.7 A\nrail: 5v\nsource: s", "acme.yaml:4: window: start_current is a mean over some time: name it (10ms), or write unstated"},
		{"name: x\nquantity: start_current\nkind: max\nvalue: 0.7 A\nrail: 5v\nwindow: 10\nsource: s", `acme.yaml:9: window: "10": write a duration with its unit`},
		{"name: x\nquantity: start_current\nkind: max\nvalue: 0.7 A\nwindow: unstated\nsource: s", "acme.yaml:4: rail: start_current is of one rail; name it"},
		{"name: x\nquantity: idle_power\nkind: max\nvalue: 1 W\nrail: 3v3\nsource: s", `acme.yaml:8: rail: "3v3": it is none of the drive's rails`},
		{"name: x\nquantity: iops\nkind: min\nvalue: 1 kIOPS\nsource: s", "acme.yaml:4: workload: iops needs one"},
		{"name: x\nquantity: iops\nkind: min\nvalue: 1 kIOPS\nworkload: {rw: randread, bs: 4k, depth: 3}\nsource: s", "acme.yaml:8: unknown key depth"},
		{"name: x\nquantity: iops\nkind: min\nvalue: 1 kIOPS\nworkload: {rw: reads, bs: 4k}\nsource: s", `acme.yaml:8: workload.rw: "reads": it is one of read, write,`},
		{"name: x\nquantity: idle_power\nkind: atmost\nvalue: 1 W\nsource: s", `acme.yaml:6: kind: "atmost": it is one of max, min, typical`},
		{"name: x\nquantity: idle_power\nkind: max\nvalue: 1 W", "acme.yaml:4: source: say where the claim is published"},
		{"name: x\nquantity: idle_power\nkind: max\nvalue: -1 W\nsource: s", `acme.yaml:7: value: "-1 W": write a number and its unit`},
		{"name: x\nquantity: idle_power\nkind: max\nvalue: 0 W\nsource: s", `acme.yaml:7: value: "0 W": it is above zero`},
		{"name: x\nquantity: idle_power\nkind: max\nvalue: [1 W]\nsource: s", "acme.yaml:7: one value is wanted here"},
		{"name: x\nquantity: endurance\nkind: max\nvalue: 7300 W\nsource: s", `acme.yaml:7: value: "7300 W": the unit "W" does not fit; it is one of GB, PB, TB`},
		{"name: x\nquantity: endurance\nkind: max\nvalue: 7.3 PB\nrail: 5v\nsource: s", "acme.yaml:8: rail: endurance is of no rail"},
		{"name: x\nquantity: endurance\nkind: max\nvalue: 7.3 PB\nwindow: 1s\nsource: s", "acme.yaml:8: window: endurance has none"},
		{"name: x\nquantity: endurance\nkind: max\nvalue: 7.3 PB\nworkload: {rw: write, bs: 4k}\nsource: s", "acme.yaml:8: workload: endurance has none"},
		{"name: x\nquantity: idle_power\nkind: max\nvalu: 1 W\nsource: s", "acme.yaml:7: unknown key valu"},
	} {
		_, err := Parse("acme.yaml", []byte(sheet(tc.claim)))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s\n got %v\nwant %s", tc.claim, err, tc.want)
		}
	}
}

// All slips of a file come at once, those of the drive too.
func TestAllFaultsComeAtOnce(t *testing.T) {
	_, err := Parse("d.yaml", []byte(`name: two words
rails: [5v, 9v]
capacity: 400
colour: red
claims:
  - {name: a, quantity: idle_power, kind: max, value: 2720, source: s}
  - {name: a, quantity: idle_power, kind: max, value: 2.72 W, source: s}
`))
	if err == nil {
		t.Fatal("taken")
	}
	for _, want := range []string{
		`d.yaml:1: name: "two words"`, `d.yaml:2: rails: "9v"`, "d.yaml:3: capacity:", "d.yaml:4: unknown key colour",
		`d.yaml:6: value: "2720"`, `d.yaml:7: name: "a" stands in line 6 already`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("not told: %s\n%v", want, err)
		}
	}
}

// Every drive file that is shipped is read, is called as its file is, and says where
// each figure is published.
func TestShippedDriveFiles(t *testing.T) {
	if len(Names()) == 0 {
		t.Errorf("%v", Names())
	}
	for _, name := range Names() {
		s, err := Find(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if s.Name != name || len(s.Claims) == 0 {
			t.Errorf("%s: name %s, %d claims", name, s.Name, len(s.Claims))
		}
	}
}

// The published limits of the 400 GB drive: 0.7 A and 0.4 A at start, 2.72 W idle,
// 110,000 and 40,000 IOPS, 750 MB/s, 7300 TB written.
func TestPublishedFiguresOfThe400GBDrive(t *testing.T) {
	s, err := Find("seagate-1200-400")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"start-current-5v": "at most 0.7 A", "start-current-12v": "at most 0.4 A", "idle-power": "typically 2.72 W",
		"random-read-4k": "at least 110,000 IOPS", "random-write-4k": "at least 40,000 IOPS", "sequential-read-128k": "at least 750 MB/s", "rated-endurance": "at most 7300 TB",
	}
	for _, c := range s.Claims {
		if c.Text() != want[c.Name] {
			t.Errorf("%s: %s, want %s", c.Name, c.Text(), want[c.Name])
		}
		delete(want, c.Name)
	}
	if len(want) > 0 {
		t.Errorf("not there: %v", want)
	}
}

func TestAnUnknownDriveFileNamesTheBuiltInOnes(t *testing.T) {
	_, err := Find("seagate-9999")
	if err == nil || !strings.Contains(err.Error(), "seagate-1200-400") {
		t.Errorf("%v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range Names() {
		s, err := Find(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(s.Source)
	}
	f.Add([]byte("name: x\nrails: [5v]\nclaims: [{value: 1 mA, workload: {bs: 9999999999999k}}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse("f.yaml", data)
		if err != nil {
			return
		}
		for _, c := range s.Claims {
			if !(c.Limit > 0) || c.Unit == "" || c.Source == "" {
				t.Errorf("taken: %+v", c)
			}
		}
	})
}
