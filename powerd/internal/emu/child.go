package emu

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"

	"powerd/powerd/internal/catalog"
)

// Ready is the child's first line: where module and drive are.
type Ready struct {
	Port   string `json:"port"`   // pseudo-terminal of the module
	Target string `json:"target"` // file of the drive
}

// Serve is the child's life: it makes the twin, says where it is, answers what
// really happened, and takes everything away when in ends or ctx is done.
func Serve(ctx context.Context, o catalog.TwinOptions, in io.Reader, out io.Writer) (err error) {
	// Reads and writes of the drive's file hold a processor of Go's while they are in
	// the kernel; with two of them the pacer would wait for one.
	runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), 4))
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	t, err := catalog.OpenTwin(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	port, wait, err := t.Module.ServePTY(ctx)
	if err != nil {
		return err
	}
	defer func() { stop(); err = errors.Join(err, wait()) }()

	w := json.NewEncoder(out)
	if err := w.Encode(Ready{Port: port, Target: t.Mount.Path()}); err != nil {
		return fmt.Errorf("say where the twin is: %w", err)
	}
	requests := readRequests(in)
	for {
		select {
		case <-ctx.Done():
			return nil
		case q, more := <-requests:
			if !more {
				return nil
			}
			if err := w.Encode(truth(t, q)); err != nil {
				return fmt.Errorf("answer what happened: %w", err)
			}
		}
	}
}

// readRequests reads until the parent goes away. Its goroutine ends with in, at
// the latest with the process.
func readRequests(in io.Reader) <-chan Request {
	requests := make(chan Request)
	go func() {
		defer close(requests)
		s := bufio.NewScanner(in)
		s.Buffer(nil, 64<<20)
		for s.Scan() {
			var q Request
			if json.Unmarshal(s.Bytes(), &q) != nil {
				return
			}
			requests <- q
		}
	}()
	return requests
}
