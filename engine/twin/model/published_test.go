package model

import (
	"encoding/json"
	"os"
)

// Seagate1200 returns the published drive of package modeltest, which this package's
// own tests cannot import.
func Seagate1200(scale int) Config {
	data, err := os.ReadFile("modeltest/published.json")
	if err != nil {
		panic(err)
	}
	var c Config
	if err := json.Unmarshal(data, &c); err != nil {
		panic(err)
	}
	return c.Scaled(scale)
}
