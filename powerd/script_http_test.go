package main

import (
	"io"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// get asks a server, and keeps its answer.
func get(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: get FILE STATUS URL")
	}
	client := http.Client{Timeout: 30 * time.Second}
	answer, err := client.Get(args[2])
	ts.Check(err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), body, 0o644))
	if got := strconv.Itoa(answer.StatusCode); got != args[1] {
		ts.Fatalf("%s: %s, want %s: %s", args[2], answer.Status, args[1], body)
	}
}
