// Package configs embeds the files that powerd ships: commented defaults, suites, drive
// files, and what other programs need to live with it. It holds nothing else.
package configs

import "embed"

// Defaults is powerd.yaml: every setting with its unit, range and default.
//
//go:embed powerd.yaml
var Defaults []byte

// Suites holds suites/*.yaml, the built-in suites.
//
//go:embed suites/*.yaml
var Suites embed.FS

// Drives holds drives/*.yaml, the built-in drive files: what is published of a drive.
//
//go:embed drives/*.yaml
var Drives embed.FS

// Twins holds twins/*.yaml, the drives that can be emulated.
//
//go:embed twins/*.yaml
var Twins embed.FS

// Unit is systemd/powerd.service, which starts `powerd serve`.
//
//go:embed systemd/powerd.service
var Unit []byte

// Board is grafana/powerd.json, a dashboard over an InfluxDB that powerd sends to.
//
//go:embed grafana/powerd.json
var Board []byte
