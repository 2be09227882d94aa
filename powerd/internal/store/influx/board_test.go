package influx_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"powerd/analysis"
	"powerd/analysis/efficiency"
	"powerd/analysis/idle"
	"powerd/configs"
	"powerd/powerd/internal/daemon"
	"powerd/powerd/internal/store"
	"powerd/powerd/internal/store/influx"
	"powerd/powerd/internal/store/influx/influxtest"
	"powerd/powerd/internal/store/storetest"
)

// query is a question that the Grafana board asks.
type query struct{ title, text string }

// board reads the questions of the board that powerd ships.
func board(t *testing.T) []query {
	t.Helper()
	var b struct {
		Panels []struct {
			Title   string
			Targets []struct{ Query string }
		}
		Templating struct {
			List []struct{ Name, Query string }
		}
	}
	if err := json.Unmarshal(configs.Board, &b); err != nil {
		t.Fatal(err)
	}
	var all []query
	for _, p := range b.Panels {
		for _, target := range p.Targets {
			all = append(all, query{p.Title, target.Query})
		}
	}
	for _, v := range b.Templating.List {
		all = append(all, query{"variable " + v.Name, v.Query})
	}
	return all
}

// A board that asks for a name that nobody writes shows an empty picture, and no error.
// Every measurement, tag and field that it names stands in doc.go.
func TestBoardAsksForWhatIsWritten(t *testing.T) {
	known := documented(t)
	has := func(measurement, name string) bool {
		return slices.ContainsFunc(known, func(line string) bool {
			f := strings.Fields(line)
			return (f[0] == measurement || f[0] == "*") && f[2] == strings.TrimSuffix(name, "_u95")
		})
	}
	from, word, as := regexp.MustCompile(`FROM "(\w+)"`), regexp.MustCompile(`"([^"]+)"`), regexp.MustCompile(`AS "[^"]*"`)
	asked := board(t)
	if len(asked) < 8 {
		t.Fatalf("only %d questions were found in the board", len(asked))
	}
	for _, q := range asked {
		m := from.FindStringSubmatch(q.text)
		if m == nil {
			t.Errorf("%s: no measurement in %s", q.title, q.text)
			continue
		}
		for _, name := range word.FindAllStringSubmatch(as.ReplaceAllString(q.text, ""), -1) {
			if name[1] != m[1] && !has(m[1], name[1]) {
				t.Errorf("%s: %s has no %q", q.title, m[1], name[1])
			}
		}
	}
}

// A real server of the oldest version that is supported understands each question, and
// answers it with something once a run, its idle step, and a gap are there.
func TestBoardOnARealServer(t *testing.T) {
	server := influxtest.Start(t, false)
	s := open(t, influx.Options{URL: server.URL, Bucket: influxtest.Bucket, Outbox: outbox(t, t.TempDir()), CloseTimeout: time.Minute})
	must(t, s.Begin(t.Context(), storetest.Drive("run-1", "Model A", "SN1")))
	must(t, s.Live(t.Context(), storetest.Rails(0, 10), nil))
	idles := filled(idle.Table([]*idle.Result{zeroed()}))
	for i, c := range idles.Columns {
		if c.Name == "rail" {
			idles.Rows[0].Cells[i] = analysis.Word("total")
		}
	}
	must(t, s.Results(t.Context(), []byte("{}"), []*analysis.Table{filled(efficiency.Table(nil)), idles, daemon.GapTable([]daemon.Gap{
		{Cause: daemon.CauseUnplugged, StartMonoNs: 1e9, EndMonoNs: 4e9},
	})}))
	must(t, s.End(t.Context(), store.Completed, 10e9))
	if report := closeStore(t, s); report.Err() != nil || report.Pending != 0 {
		t.Fatalf("report %+v; want all sent", report)
	}
	grafana := strings.NewReplacer("$timeFilter", "time > 0", "$__interval", "1s", "$bench", ".*", "$drive", ".*")
	for _, q := range board(t) {
		if len(server.Query(grafana.Replace(q.text))) == 0 {
			t.Errorf("%s: no answer to %s", q.title, q.text)
		}
	}
}
