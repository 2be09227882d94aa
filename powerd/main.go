// Command powerd measures what a drive draws while an IO engine loads it: start-up
// current, idle watts, and IOPS and MB/s per milliwatt, with the time between IO
// and power stated.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"powerd/powerd/internal/cli"
)

func main() {
	signal.Ignore(syscall.SIGPIPE) // a reader of the output that leaves must not end a measurement
	asks := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // under nohup it stays ignored
		asks = append(asks, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), asks...)
	defer stop()
	go func() { // the first signal asks for an orderly end, a second one does what it always did
		<-ctx.Done()
		stop()
	}()
	os.Exit(cli.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
