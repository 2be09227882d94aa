package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"powerd/powerd/internal/daemon"
)

// ErrNotServing says that no powerd serves with this folder of state.
var ErrNotServing = errors.New("no powerd serves here")

// Client asks the daemon of this machine.
type Client struct {
	place Place
	token string
	http  *http.Client
}

const (
	followEvery = time.Second
	askTimeout  = 10 * time.Second
	missedMost  = 5 // answers in a row, until the daemon is taken for gone
)

// Find returns the daemon that serves with a folder of state, ErrNotServing if none does.
// What one left that was killed counts for nothing.
func Find(state string) (*Client, error) {
	if !lives(state) {
		return nil, ErrNotServing
	}
	p, err := readPlace(state)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotServing // it is starting, or stopping
	}
	if err != nil {
		return nil, err
	}
	c := &Client{place: p, http: &http.Client{Timeout: askTimeout}}
	if p.TokenFile != "" {
		token, err := os.ReadFile(p.TokenFile)
		if err != nil {
			return nil, fmt.Errorf("powerd serves at %s and needs a token, which its user alone may read: %w", p.URL, err)
		}
		c.token = string(token)
	}
	return c, nil
}

// Has reports whether the daemon owns a bench's module.
func (c *Client) Has(bench string) bool { return slices.Contains(c.place.Benches, bench) }

// Place returns where the daemon is.
func (c *Client) Place() Place { return c.place }

// Submit asks for a run.
func (c *Client) Submit(ctx context.Context, q daemon.RunRequest) (daemon.Job, error) {
	var out daemon.Job
	return out, c.ask(ctx, http.MethodPost, "/api/v1/runs", q, &out)
}

// Cancel interrupts a run.
func (c *Client) Cancel(ctx context.Context, id string) error {
	return c.ask(ctx, http.MethodDelete, "/api/v1/runs/"+url.PathEscape(id), nil, &daemon.Job{})
}

// Follow shows a run once a second and returns it when it is over. When ctx is done the
// run is interrupted, and followed to its end: what it has switched is put back first.
func (c *Client) Follow(ctx context.Context, id string, show func(daemon.Job)) (daemon.Job, error) {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	interrupted, missed := ctx.Done(), 0
	after := context.WithoutCancel(ctx)
	var last daemon.Job
	for {
		var r OneRun
		err := c.ask(after, http.MethodGet, "/api/v1/runs/"+url.PathEscape(id), nil, &r)
		switch {
		case err == nil && r.Asked == nil:
			return last, fmt.Errorf("powerd at %s does not know run %s any more: was it started again? `powerd runs` says what became of it", c.place.URL, id)
		case err == nil:
			missed, last = 0, *r.Asked
			show(last)
			if last.Over() {
				return last, nil
			}
		default:
			if missed++; missed == missedMost {
				return last, fmt.Errorf("%w; `powerd runs` says what became of run %s", err, id)
			}
		}
		select {
		case <-tick.C:
		case <-interrupted:
			interrupted = nil
			if err := c.Cancel(after, id); err != nil {
				return last, err
			}
		}
	}
}

// ask sends a request and decodes the answer.
func (c *Client) ask(ctx context.Context, method, path string, body, to any) error {
	var send io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("ask powerd: %w", err)
		}
		send = bytes.NewReader(data)
	}
	r, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(c.place.URL, "/")+path, send)
	if err != nil {
		return fmt.Errorf("ask powerd: %w", err)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return fmt.Errorf("ask powerd at %s: %w", c.place.URL, err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		return fmt.Errorf("ask powerd at %s: %w", c.place.URL, err)
	}
	if answer.StatusCode >= http.StatusBadRequest {
		return refusal(answer.StatusCode, data)
	}
	if err := json.Unmarshal(data, to); err != nil {
		return fmt.Errorf("understand powerd at %s: %w", c.place.URL, err)
	}
	return nil
}

// StatusError is an answer that refuses.
type StatusError struct {
	Status int // of HTTP
	Detail string
}

func (e *StatusError) Error() string { return e.Detail }

func refusal(status int, body []byte) error {
	var p huma.ErrorModel
	if json.Unmarshal(body, &p) != nil || p.Detail == "" {
		p.Detail = fmt.Sprintf("powerd answers %d %s", status, http.StatusText(status))
	}
	for _, e := range p.Errors {
		p.Detail += "; " + e.Error()
	}
	return &StatusError{Status: status, Detail: p.Detail}
}
