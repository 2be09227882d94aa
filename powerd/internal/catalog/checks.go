package catalog

import "powerd/engine/twin/serve"

// TwinsServed returns why no drive twin can be served on this machine, nil if one can.
func TwinsServed() error { return serve.Available() }
