package sweep

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"proctor/backends"
	"proctor/runner/ask"
	"proctor/runner/ask/bench"
	"proctor/runner/journal/output"
	"proctor/runner/mark/choice"
	"proctor/runner/mark/format"
)

// usual is the default context, in tokens, for a candidate's memory figure.
const usual = 4096

// speedName is the file's that has what was measured of each candidate.
const speedName = "speed.json"

// A measured candidate is as the file keeps it.
type measured struct {
	Info  backends.ModelInfo `json:"model"`
	Alone choice.Alone       `json:"alone"`
}

// measure finds the candidates' kind, speed and memory with one request at a time, in rounds that go from the first to
// the last and back. What an earlier session measured counts only where nothing is left to ask: a machine may be busy
// at one time and not at another. settle gets each candidate, and why its model can't be opened; one that can't be
// measured still runs the questions.
func (s *Sweep) measure(ctx context.Context, left bool, settle func(*Progress, error) error) error {
	path, kept := filepath.Join(s.Matrix.Folder, speedName), map[string]measured{}
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &kept)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w: remove it", path, err)
	}
	var models []bench.Opening
	for i := range s.candidates {
		c := &s.candidates[i]
		before, has := kept[c.Name]
		if has {
			c.Info, c.Alone = &before.Info, before.Alone
		}
		left = left || !has
		models = append(models, bench.Opening{Ref: c.Name, Open: s.opener(c, Opening{Slots: 1})})
	}
	if !left {
		return nil
	}
	b := bench.Bench{Now: s.Now, Progress: s.Working}
	all, err := b.Alone(ctx, models, cmp.Or(s.Spec.Context, usual))
	if err != nil {
		return err
	}
	for i := range s.candidates {
		c, a := &s.candidates[i], &all[i]
		if a.Err == nil {
			c.Info, c.Alone = &a.Info, a.Alone
			kept[c.Name] = measured{a.Info, a.Alone}
		}
		if a.Err == nil && a.Why == "" {
			ask.Notify(s.Note, fmt.Sprintf("[%d/%d %s] prefill %s, decode %s, %s with %s of context", i+1, len(all), c.Name,
				format.PerSecond(a.Prefill.Value), format.PerSecond(a.Decode.Value), format.Size(a.Memory, "unknown memory"),
				format.Several(a.Context, "token")))
		}
		if err := settle(c, a.Err); err != nil {
			return err
		}
	}
	return output.WriteJSON(path, kept)
}
