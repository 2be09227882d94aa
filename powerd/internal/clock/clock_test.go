package clock

import (
	"testing"
	"time"
)

// Two readings in a row: none of the clocks runs backwards, and a reading taken
// now names the same instant as the standard library does, within a second.
func TestReadIsOrderedAndNow(t *testing.T) {
	a := Read()
	b := Read()
	if b.MonoNs < a.MonoNs || b.RawNs < a.RawNs {
		t.Fatalf("clock ran backwards: %+v then %+v", a, b)
	}
	if d := time.Since(UTC(b)); d < 0 || d > time.Second {
		t.Fatalf("UTC of a fresh reading is %v away from time.Now", d)
	}
	if Mono() < b.MonoNs {
		t.Fatal("Mono is behind the middle of an earlier reading")
	}
}
