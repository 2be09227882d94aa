package catalog

import "powerd/engine/twin/serve"

// TwinScale returns what the drive twin behind a target divides its rates by, whoever
// serves it; 0 where the target is no twin.
func TwinScale(target string) (int, error) { return serve.Scale(target) }

// TwinsServed returns why no drive twin can be served on this machine, nil if one can.
func TwinsServed() error { return serve.Available() }
