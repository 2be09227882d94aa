package supply

import (
	"context"

	"powerd/powerd/internal/hostcmd"
)

// AskHealth asks a drive of itself, and changes nothing: temperature and power state, as far
// as this machine has a program that asks for them. A disk in standby is not woken.
func AskHealth(ctx context.Context, device string) hostcmd.Health {
	return hostcmd.AskHealth(ctx, device)
}
