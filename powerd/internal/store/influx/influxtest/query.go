package influxtest

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Series is one series of an InfluxQL answer. Numbers are json.Number.
type Series struct {
	Name    string
	Tags    map[string]string
	Columns []string
	Values  [][]any
}

// Query runs one InfluxQL statement and returns its series.
func (s *Server) Query(influxQL string) []Series {
	s.t.Helper()
	form := url.Values{"q": {influxQL}, "db": {Database}, "epoch": {"ns"}}
	req, err := http.NewRequest(http.MethodPost, s.URL+"/query", strings.NewReader(form.Encode()))
	if err != nil {
		s.t.Fatalf("query %q: %v", influxQL, err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if s.auth {
		user, password, _ := strings.Cut(AdminToken, ":")
		req.SetBasicAuth(user, password)
	}
	client := http.Client{Timeout: 30 * time.Second}
	resp, err := client.Do(req)
	if err != nil {
		s.t.Fatalf("query %q: %v", influxQL, err)
	}
	defer resp.Body.Close()
	var answer struct {
		Error   string
		Results []struct {
			Error  string
			Series []Series
		}
	}
	dec := json.NewDecoder(resp.Body)
	dec.UseNumber()
	if err := dec.Decode(&answer); err != nil {
		s.t.Fatalf("query %q: %s: %v", influxQL, resp.Status, err)
	}
	if answer.Error != "" || len(answer.Results) != 1 || answer.Results[0].Error != "" {
		s.t.Fatalf("query %q: %s: %+v", influxQL, resp.Status, answer)
	}
	return answer.Results[0].Series
}

// Count returns how many points of a measurement have a field.
func (s *Server) Count(measurement, field string) int64 {
	s.t.Helper()
	series := s.Query(`SELECT count("` + field + `") FROM "` + measurement + `"`)
	if len(series) == 0 {
		return 0
	}
	n, err := series[0].Values[0][1].(json.Number).Int64()
	if err != nil {
		s.t.Fatalf("count %s of %s: %v", field, measurement, err)
	}
	return n
}

// Write writes one line of line protocol as another program would.
func (s *Server) Write(line string) {
	s.t.Helper()
	client := http.Client{Timeout: 30 * time.Second}
	resp, err := client.Post(s.URL+"/write?db="+Database, "text/plain", strings.NewReader(line))
	if err != nil {
		s.t.Fatalf("write %q: %v", line, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusNoContent {
		s.t.Fatalf("write %q: %s: %s", line, resp.Status, resp.Header.Get("X-Influxdb-Error"))
	}
}
