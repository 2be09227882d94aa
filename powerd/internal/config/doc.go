// Package config reads the settings, from all the places they may come from, into
// one plain Config that is right.
//
// # The problem
//
// A misspelt key that is passed over, a timeout of 5 that means 5 ns, two modules
// whose names differ by case and become one, a token that is not seen because it
// came by the environment: each costs a night of measuring.
//
// # Terms
//
//	key      a dotted name: influx.url
//	origin   where a value came from: default, file and line, variable, flag
//	fault    a value or key that is not allowed
//
// A flag stands above an environment variable (POWERD_INFLUX_URL), that above the
// file, that above the defaults, which are configs/powerd.yaml. An empty variable
// counts as not set. Names under `modules` and `benches` stay as written and come from
// the file alone; each takes the default of what it does not give. A bench that gives
// its module's serial number alone is reached as `modules` says.
//
// # Errors
//
// All faults come together, each a *KeyError with where it stands, its key, its
// value and what is allowed, with unit. Entries that are right each by itself but
// cannot be true together (two modules on one port, one module on two, one drive on
// two modules) are faults of the later one, which name the other. A token is in no
// message.
package config
