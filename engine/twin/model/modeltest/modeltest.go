// Package modeltest holds a drive for tests that can't read twin files: the published
// 400 GB SAS drive, as the model takes it. The twin file of that drive must say the
// same; a test beside its reader holds the two against each other.
package modeltest

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"powerd/engine/twin/model"
)

//go:embed published.json
var published []byte

// Published returns the published drive, fresh, at a scale of 1 or more: 110 000 random
// 4 KiB writes a second at 6.41 W, 92 000 reads, idle 2.981 W, divided by the scale.
func Published(scale int) model.Config {
	var c model.Config
	if err := json.Unmarshal(published, &c); err != nil {
		panic(fmt.Sprintf("modeltest: published.json: %v", err)) // the file is beside this one
	}
	return c.Scaled(scale)
}
