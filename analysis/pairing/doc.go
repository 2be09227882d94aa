// Package pairing shows from samples whether reads on a target appear in a module's
// power.
package pairing
