package influx

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	influxhttp "github.com/influxdata/influxdb-client-go/v2/api/http"
)

// verdict is what an answer means for the batch that was sent.
type verdict int

const (
	accepted  verdict = iota
	tryLater          // the server is away or busy
	tokenBad          // nothing can be sent with this token
	batchOdd          // this batch will never be taken
	noAnswers         // given up: the store is being closed
)

// answer is what came back for a request.
type answer struct {
	verdict verdict
	status  int           // HTTP status; 0 = no answer came
	pause   time.Duration // that the server asked for
	words   string        // of the server or of the network
}

// isThisInflux is asked where the answer is not one that InfluxDB gives to a write:
// that of a login page, a proxy, another web server.
const isThisInflux = "is this an InfluxDB? Check influx.url"

// notTakenError is a success that does not say that points were stored.
type notTakenError struct{ status int }

func (e *notTakenError) Error() string {
	return fmt.Sprintf("%d %s where InfluxDB answers 204: %s", e.status, http.StatusText(e.status), isThisInflux)
}

// doer sends requests. It follows no redirect, which would turn a write into a
// GET that anything answers with 200, and lets only 204 pass as a write's success.
type doer struct{ *http.Client }

func newDoer() doer {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}
	return doer{&http.Client{ // requests end with their context
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Do implements the client library's Doer.
func (d doer) Do(r *http.Request) (*http.Response, error) {
	resp, err := d.Client.Do(r)
	if err != nil || r.Method != http.MethodPost || resp.StatusCode/100 != 2 || resp.StatusCode == http.StatusNoContent {
		return resp, err
	}
	return nil, errors.Join(&notTakenError{resp.StatusCode}, resp.Body.Close())
}

// read says what the error of a write means.
func read(err error) answer {
	if err == nil {
		return answer{verdict: accepted}
	}
	if e, ok := errors.AsType[*notTakenError](err); ok {
		return answer{verdict: tryLater, status: e.status, words: e.Error()}
	}
	e, ok := errors.AsType[*influxhttp.Error](err)
	if !ok || e.StatusCode == 0 {
		return answer{verdict: tryLater, words: "no answer: " + err.Error()}
	}
	a := answer{
		status: e.StatusCode,
		pause:  time.Duration(e.RetryAfter) * time.Second,
		words:  fmt.Sprintf("%d %s: %s", e.StatusCode, http.StatusText(e.StatusCode), words(e)),
	}
	switch {
	case a.status < 400:
		a.verdict = tryLater
		a.words = fmt.Sprintf("%d %s to %q: %s", a.status, http.StatusText(a.status), e.Header.Get("Location"), isThisInflux)
	case a.status == http.StatusUnauthorized || a.status == http.StatusForbidden:
		a.verdict = tokenBad
	case a.status == http.StatusTooManyRequests || a.status == http.StatusRequestTimeout || a.status >= 500:
		a.verdict = tryLater
	default:
		a.verdict = batchOdd
	}
	return a
}

// words returns what the server said, in one line of bounded length.
func words(e *influxhttp.Error) string {
	s := e.Message
	if e.Err != nil { // the body was not what its type said
		s = strings.Join([]string{s, e.Header.Get("X-Influxdb-Error"), e.Err.Error()}, " ")
	}
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 500 {
		s = string(r[:500]) + "…"
	}
	return s
}
