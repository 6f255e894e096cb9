package ask

import (
	"context"
	"errors"

	"proctor/backends"
)

// An Opened is a model that is open, and sized to its work.
type Opened struct {
	Model      backends.Model
	Info       backends.Info       // with the planned values
	Allocation backends.Allocation // zero of a model that does not plan
}

// Open opens a model and has it set memory aside for its work, which the caller counts in the tokens of the open model.
// Where that fails, the model is closed.
func Open(ctx context.Context, open func(context.Context) (backends.Model, error),
	work func(backends.Model) (backends.Workload, error),
) (_ *Opened, err error) {
	o := &Opened{}
	if o.Model, err = open(ctx); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, o.Model.Close())
		}
	}()
	w, err := work(o.Model)
	if err != nil {
		return nil, err
	}
	if planner, plans := o.Model.(backends.Planner); plans {
		if o.Allocation, err = planner.Plan(ctx, w); err != nil {
			return nil, err
		}
	}
	if o.Info, err = o.Model.Info(ctx); err != nil {
		return nil, err
	}
	return o, nil
}
