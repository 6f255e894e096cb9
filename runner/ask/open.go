package ask

import (
	"context"
	"errors"
	"fmt"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/runner/ask/spec"
	"proctor/runner/journal"
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

// draw applies the sampling that the model's file or server recommends, if the run is to use it, and returns a line about it.
// Otherwise the line says how the run differs from the recommendation; it is empty where it does not.
func (s *Session) draw() (line string, err error) {
	var own *backends.Recommendation
	if recommender, can := s.model.(backends.Recommender); can {
		own = recommender.Recommended()
	}
	for _, q := range s.tasks {
		if q.Task.Direct { // nothing is drawn
			continue
		}
		flag, instead := setting.Sampling.As(spec.Own),
			fmt.Sprintf("give %s and %s LIST", setting.Temperature, setting.Sampling)
		switch {
		case q.spec.Sampling.Word != spec.Own && own == nil:
		case q.spec.Sampling.Word != spec.Own:
			line = q.otherThan(own)
		case own == nil:
			return "", fmt.Errorf("%s: neither the model's file nor a server names a sampling of its own: %s", flag, instead)
		case own.Lacks != "":
			return "", fmt.Errorf("%s: a run cannot draw as %s says (%s): %s", flag, own.By, own.Lacks, instead)
		default:
			sampling := &q.header.Sampling
			seed := sampling.Seed
			sampling.Sampling, sampling.From = own.Sampling, own.From
			sampling.Seed = seed
			line = fmt.Sprintf("tokens are drawn as %s says: %s", own.By, own)
		}
		if drawn := &q.header.Sampling; drawn.Temperature > 0 {
			drawn.Seeds = journal.SeedsByItem
		}
	}
	return line, nil
}

// otherThan says how the run's sampling differs from the recommended one; empty where it does not.
func (q *Questions) otherThan(own *backends.Recommendation) string {
	here := q.header.Sampling.Sampling
	here.Seed = 0
	if own.Lacks == "" && here == own.Sampling {
		return ""
	}
	is, remedy := "greedy", setting.Sampling.As(spec.Own)+" takes it"
	if here.Temperature > 0 {
		is = "drawn in another way"
	}
	if own.Lacks != "" {
		remedy = fmt.Sprintf("set the supported part of it with %s and %s LIST", setting.Temperature, setting.Sampling)
	}
	return fmt.Sprintf("%s recommends %s; this run is %s: %s", own.By, own, is, remedy)
}
