package measure

import (
	"context"
	"testing"

	"powerd/powerd/internal/suite"
)

// buggy is a supply that panics when it is switched off.
type buggy struct {
	Power
	restored bool
}

func (*buggy) Off(context.Context) (sentNs, ackedNs int64, err error) { panic("a bug") }

func (b *buggy) Restore(context.Context) (string, error) {
	b.restored = true
	return "", nil
}

// A bug is no reason to leave a drive without power, and is not hidden either.
func TestPanicPutsTheSupplyBack(t *testing.T) {
	b := &buggy{}
	defer func() {
		if recover() == nil || !b.restored {
			t.Errorf("the bug was hidden, or the supply put back: %v", b.restored)
		}
	}()
	_ = (&run{Parts: Parts{Power: b}}).powerCycle(t.Context(), suite.Step{})
}
