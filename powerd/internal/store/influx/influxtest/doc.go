// Package influxtest runs a real InfluxDB 1.8.3 for tests: on loopback, on a free
// port, with a folder of its own, and killed like a server that loses its power.
//
// # How
//
// The server is built once from the nested module beside this folder, which pins
// it without putting its requirements into powerd's go.mod, and is kept in the
// user's cache folder. The first build takes one to three minutes; with -short
// tests that need the server are skipped.
//
// # Terms
//
//	database  "powerd", with the policy "raw30d": the bucket "powerd/raw30d"
//	token     "user:password", needed if the server was started with Auth
//
// # Errors
//
// Everything that goes wrong fails the test with the server's own log.
package influxtest
