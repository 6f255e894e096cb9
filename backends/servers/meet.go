package servers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
)

// Greetings is the number of tries to reach a server before it counts as away.
const Greetings = 3

// Meet asks every server once, with greet, whether it holds the model: nil, a [*Conclusive] error, which Meet returns, or why it
// does not answer. One at least must answer; nobody says what to do where none does.
func (p *Pool[S]) Meet(ctx context.Context, greet func(context.Context, S) error, nobody string) error {
	var away []string
	for _, s := range p.Servers {
		err := greet(ctx, s)
		var answered *Conclusive
		switch {
		case err == nil:
			p.Found(s, nil)
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.As(err, &answered):
			return fmt.Errorf("%s%w", p.options.Prefix, err)
		default:
			p.Found(s, err)
			away = append(away, s.Name()+": "+OneLine(err))
		}
	}
	if len(away) == len(p.Servers) {
		return fmt.Errorf("%sno server answers: %s; %s", p.options.Prefix, strings.Join(away, "; "), nobody)
	}
	for _, server := range away {
		p.log(slog.LevelWarn, "%s: the run begins without it", server)
	}
	return nil
}

// Ready has prepare run for every server that answers. One that goes away meanwhile is left out, where others remain.
func (p *Pool[S]) Ready(prepare func(S) error) error {
	for _, s := range p.Up() {
		err := prepare(s)
		if lost := (*Error)(nil); errors.As(err, &lost) && lost.Lost && p.Leave(s, lost) {
			p.options.Warn("%v: the run begins without it", err)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// EachUp does something with every server that answers, until that is an error.
func (p *Pool[S]) EachUp(do func(S) error) error {
	for _, s := range p.Up() {
		if err := do(s); err != nil {
			return err
		}
	}
	return nil
}

// Names are those of all servers.
func (p *Pool[S]) Names() (all []string) {
	for _, s := range p.Servers {
		all = append(all, s.Name())
	}
	return all
}

// Versions are the servers' engines for people, each once; of says one's.
func (p *Pool[S]) Versions(of func(S) string) string {
	var all []string
	for _, s := range p.Servers {
		if version := of(s); version != "" && !slices.Contains(all, version) {
			all = append(all, version)
		}
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}
