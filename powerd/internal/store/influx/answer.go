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

// read says what the error of a write means.
func read(err error) answer {
	if err == nil {
		return answer{verdict: accepted}
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
	case a.status == http.StatusUnauthorized || a.status == http.StatusForbidden:
		a.verdict = tokenBad
	case a.status == http.StatusTooManyRequests || a.status == http.StatusRequestTimeout || a.status >= 500 || a.status < 400:
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
