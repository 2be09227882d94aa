package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"powerd/analysis/align"
	"powerd/analysis/record"
	"powerd/powerd/internal/daemon"
	"powerd/powerd/internal/results"
	"powerd/quarch"
)

// Clock is when a question was received and answered, for a host that has to tell how its
// clock stands to this one's.
type Clock struct {
	ReceivedMonoNs int64 `json:"received_mono_ns" doc:"CLOCK_MONOTONIC of this host, not before the question came"`
	AnsweredMonoNs int64 `json:"answered_mono_ns" doc:"the same, not after the answer left"`
	ReceivedRawNs  int64 `json:"received_raw_ns" doc:"CLOCK_MONOTONIC_RAW, read with received_mono_ns"`
}

// MarkRequest is a mark that another host makes, on this host's clock.
type MarkRequest struct {
	Run    string         `json:"run,omitempty" maxLength:"300" doc:"its id or folder; empty = the one under way"`
	Mark   string         `json:"mark" enum:"start,end"`
	Name   string         `json:"name" maxLength:"100"`
	MonoNs int64          `json:"mono_ns" doc:"CLOCK_MONOTONIC of this host"`
	Count  *uint64        `json:"count,omitempty" doc:"of an end: what was done since the start"`
	Unit   string         `json:"unit,omitempty" maxLength:"100"`
	From   *record.Remote `json:"from" doc:"how the other host's clock stands to this one's"`
}

// Marked is a mark that was made.
type Marked struct {
	Run     string  `json:"run" doc:"its folder"`
	LastedS float64 `json:"lasted_s,omitempty" doc:"of an end: since the start that it closes"`
}

// Mark makes a mark in a run of this host, by its id or folder; empty = the one under way.
type Mark func(run string, m results.UserMark) (Marked, error)

func (s *Server) clock(*struct{}) (int, Clock, error) {
	at := s.o.Clock()
	return http.StatusOK, Clock{ReceivedMonoNs: at.MonoNs, AnsweredMonoNs: at.MonoNs, ReceivedRawNs: at.RawNs}, nil
}

// notYetNs is how much later than now a mark may say that it was made.
const notYetNs = 1e6

func (s *Server) mark(in *struct{ Body MarkRequest }) (int, Marked, error) {
	q := in.Body
	if q.From == nil {
		return 0, Marked{}, fmt.Errorf("%w: a mark over the network says how its host's clock stands to this one's; `powerd mark start NAME --server URL` does", daemon.ErrRefused)
	}
	if late := q.MonoNs - s.o.Clock().MonoNs; float64(late) > q.From.OffsetU95S*1e9+notYetNs {
		return 0, Marked{}, fmt.Errorf("%w: the mark lies %v in the future of this host's clock", daemon.ErrRefused, time.Duration(late))
	}
	m, err := s.o.Mark(q.Run, results.UserMark{Mark: q.Mark, Name: q.Name, MonoNs: q.MonoNs, Count: q.Count, Unit: q.Unit, From: q.From})
	if errors.Is(err, results.ErrMark) {
		err = fmt.Errorf("%w: %w", daemon.ErrRefused, err)
	}
	return http.StatusOK, m, err
}

// Dial returns the daemon of another host.
func Dial(url, token string) *Client {
	return &Client{place: Place{URL: url}, token: token, http: &http.Client{Timeout: askTimeout}}
}

// roundTrips is how often another host's clock is asked for a mark: the fastest ways there
// and back decide.
const roundTrips = 16

// Mark makes a mark of this host, whose clocks are read by clock, in a run of the daemon's.
func (c *Client) Mark(ctx context.Context, run string, m results.UserMark, clock func() quarch.Clock) (Marked, record.Remote, error) {
	var exchanges []align.Exchange
	for range roundTrips {
		var there Clock
		sent := clock()
		e := align.Exchange{SentNs: sent.MonoNs, SentRawNs: sent.RawNs}
		if err := c.ask(ctx, http.MethodGet, "/api/v1/clock", nil, &there); err != nil {
			return Marked{}, record.Remote{}, err
		}
		e.ReturnedNs, e.ReceivedNs, e.AnsweredNs, e.ReceivedRawNs = clock().MonoNs, there.ReceivedMonoNs, there.AnsweredMonoNs, there.ReceivedRawNs
		exchanges = append(exchanges, e)
	}
	peer, err := align.PeerAt(m.MonoNs, exchanges)
	if err != nil {
		return Marked{}, record.Remote{}, err
	}
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "another host"
	}
	from := record.Remote{
		Host: host, OffsetS: float64(peer.OffsetNs) * 1e-9, OffsetU95S: float64(peer.U95Ns) * 1e-9,
		RoundTrips: peer.Exchanges, LeastRoundTripS: float64(peer.LeastRoundTripNs) * 1e-9,
	}
	var out Marked
	err = c.ask(ctx, http.MethodPost, "/api/v1/marks", MarkRequest{
		Run: run, Mark: m.Mark, Name: m.Name, MonoNs: m.MonoNs + peer.OffsetNs, Count: m.Count, Unit: m.Unit, From: &from,
	}, &out)
	if q, refused := errors.AsType[*StatusError](err); refused && q.Status == http.StatusUnprocessableEntity {
		err = fmt.Errorf("%w: %s", results.ErrMark, q.Detail)
	}
	return out, from, err
}
