package ask

import (
	"context"

	"proctor/backends"
	"proctor/runner/journal"
)

// Run asks a plan as a session does.
func (p *Plan) Run(ctx context.Context, model backends.Model, to *journal.Writer, held *journal.Held, observer Observer) error {
	return p.execute(model, to, held, observer).sequentially(ctx)
}
