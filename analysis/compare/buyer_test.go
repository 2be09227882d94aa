package compare_test

import (
	"math"
	"strings"
	"testing"

	"powerd/analysis"
	"powerd/analysis/compare"
	"powerd/analysis/efficiency"
	"powerd/analysis/idle"
)

// buyers are two drives of 400 GB that idle at 3 W and 1.5 W and read 100,000 IOPS at 6 W
// and at 3 W.
func buyers(t *testing.T, e compare.Economics) (*compare.Result, []*compare.Buyer) {
	t.Helper()
	list := runs([]*efficiency.Cell{cell("a", 100_000, 6, 0.01, 0.01)}, []*efficiency.Cell{cell("b", 100_000, 3, 0.01, 0.01)})
	for i, watts := range []float64{3, 1.5} {
		list[i].Idle = &idle.Result{Step: "idle", Kind: idle.KindActive, Total: &idle.Figures{MeanW: &watts, U95W: analysis.Some(0.02 * watts)}}
	}
	r := compare.Compare(list, compare.Options{})
	return r, r.Buyers(e)
}

// 100,000 IOPS of 4096 B are 409.6 MB/s; at 6 W 16,667 IOPS/W and 68.27 MB/s/W, which
// move 68.27·3.6 = 245.8 TB with a kWh. 3 W on 0.4 TB are 7.5 W/TB.
func TestBuyersRow(t *testing.T) {
	_, rows := buyers(t, compare.Economics{})
	b := rows[0]
	near(t, "idle", b.IdleW.Value, 3, 0)
	near(t, "idle a TB", b.IdleWPerTB.Value, 7.5, 1e-12)
	near(t, "its ±", b.IdleWPerTB.U95, 0.15, 1e-12)
	near(t, "IOPS/W", b.IOPSPerW.Value, 100_000/6.0, 1e-9)
	near(t, "MB/s/W", b.MBPerSPerW.Value, 409.6/6, 1e-9)
	near(t, "TB/kWh", b.TBPerKWh.Value, 409.6/6*3.6, 1e-9)
	if b.IOPSCell != "randread-4k-qd32" || b.PeakA.Value != nil || b.PeakA.Why != "the drive was not powered up" {
		t.Errorf("%+v", b)
	}
	if b.KWhPerYear.Value != nil || !strings.Contains(b.KWhPerYear.Why, "--duty") {
		t.Errorf("energy of a year without a duty: %+v", b.KWhPerYear)
	}
}

// 60 % idle at 3 W and 40 % reads at 6 W are 4.2 W; behind a supply of 92 % in a building
// with a PUE of 1.3 that is 4.2·8.76·1.3/0.92 = 51.99 kWh a year, and at 0.30 EUR 15.60 EUR.
// The ± of the parts add up, the module's being the same in both: 0.6·0.06 + 0.4·U(6 W).
func TestYear(t *testing.T) {
	duty, err := compare.ParseDuty("idle=60%, randread-4k-qd32=40")
	if err != nil {
		t.Fatal(err)
	}
	pue, efficiency, price := 1.3, 92.0, 0.30
	_, rows := buyers(t, compare.Economics{Duty: duty})
	near(t, "watts", rows[0].DutyW.Value, 4.2, 1e-12)
	u6 := math.Hypot(0.06, typical.U95Watts(12, 0.5))
	near(t, "their ±", rows[0].DutyW.U95, 0.6*0.06+0.4*u6, 1e-12)
	if why := rows[0].KWhPerYear.Why; !strings.Contains(why, "--pue") || !strings.Contains(why, "--supply-efficiency") {
		t.Errorf("a year without PUE and supply: %q", why)
	}
	_, rows = buyers(t, compare.Economics{Duty: duty, PUE: &pue, SupplyEfficiencyPct: &efficiency})
	near(t, "kWh", rows[0].KWhPerYear.Value, 4.2*8.76*1.3/0.92, 1e-9)
	if rows[0].CostPerYear.Value != nil || !strings.Contains(rows[0].CostPerYear.Why, "--price") {
		t.Errorf("cost without a price: %+v", rows[0].CostPerYear)
	}
	_, rows = buyers(t, compare.Economics{Duty: duty, PUE: &pue, SupplyEfficiencyPct: &efficiency, PricePerKWh: &price, Currency: "EUR"})
	near(t, "EUR", rows[0].CostPerYear.Value, 4.2*8.76*1.3/0.92*0.30, 1e-9)
	near(t, "EUR of the other", rows[1].CostPerYear.Value, 2.1*8.76*1.3/0.92*0.30, 1e-9)
}

// A duty is whole, names each part once, and names what there is.
func TestDutyFaults(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "NAME=PERCENT",
		"idle":              "NAME=PERCENT",
		"idle=x":            "NAME=PERCENT",
		"=100":              "NAME=PERCENT",
		"idle=60":           "add up to 60 %, and must be 100 %",
		"idle=50,idle=50":   "idle is named twice",
		"idle=0,a=100":      "above 0 and at most 100",
		"idle=-10,a=110":    "above 0 and at most 100",
		"idle=NaN,a=50":     "above 0 and at most 100",
		"idle=60,a=30,b=20": "add up to 110 %",
	} {
		if _, err := compare.ParseDuty(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	thirds, err := compare.ParseDuty("idle=33.3,a=33.3,b=33.4")
	if err != nil || len(thirds) != 3 {
		t.Errorf("thirds: %v", err)
	}
	r, _ := buyers(t, compare.Economics{})
	if err := r.CheckDuty(thirds); err == nil || !strings.Contains(err.Error(), `called "a"; there is: idle, randread-4k-qd32`) {
		t.Errorf("%v", err)
	}
}

// FuzzParseDuty: whatever is typed, a duty that is taken is whole.
func FuzzParseDuty(f *testing.F) {
	for _, s := range []string{"idle=60,randread-4k-qd32=40", "idle=100%", "a=b=50,c=50", "=,="} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		shares, err := compare.ParseDuty(text)
		if err != nil {
			return
		}
		sum := 0.0
		for _, s := range shares {
			sum += s.Pct
			if s.Of == "" || !(s.Pct > 0) {
				t.Errorf("%q: share %+v", text, s)
			}
		}
		if math.Abs(sum-100) > 0.1 {
			t.Errorf("%q: %g %%", text, sum)
		}
	})
}
