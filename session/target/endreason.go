package target

import (
	"context"
	"errors"
)

// EndReason says in words why a run ended: its error, the cause of its context's end, or
// else its duration.
func EndReason(ctx context.Context, runErr error) string {
	if runErr != nil {
		return runErr.Error()
	}
	switch cause := context.Cause(ctx); {
	case cause == nil || errors.Is(cause, context.Canceled) || errors.Is(cause, context.DeadlineExceeded):
		return "duration reached"
	default:
		return cause.Error()
	}
}
