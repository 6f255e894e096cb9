package sweep

import (
	"path/filepath"
	"slices"
	"strconv"

	"proctor/runner/mark/format"
)

// ofSweep are the flags that are a sweep's and not a run's, or that its candidates have values of their own for.
var ofSweep = []string{"types", "imatrix", "cache", "product", "kv-type", "slots", "kernels", "prompt", "style", "shots", "system", "until-decided", "margin",
	"keep-logprobs", "confidence", "force"}

// flagsOf are the flags that begin a candidate's run, for its journal: `run --resume` goes on with it.
func (d *Document) flagsOf(c *Progress, s *Sweep) map[string][]string {
	all := map[string][]string{}
	for name, values := range d.Flags {
		if !slices.Contains(ofSweep, name) {
			all[name] = values
		}
	}
	set := func(holds bool, name, value string) {
		if holds {
			all[name] = []string{value}
		}
	}
	set(c.Ref != "", "model", c.Ref)
	set(c.Type != "", "model", c.File)
	set(c.KVType != "", "kv-type", c.KVType)
	set(c.Slots > 0, "slots", strconv.Itoa(c.Slots))
	set(c.Kernels != "", "kernels", c.Kernels)
	set(c.Prompt != "", "prompt", c.Prompt)
	set(c.Style != "", "style", c.Style)
	if c.Shots != nil {
		set(true, "shots", strconv.Itoa(*c.Shots))
	}
	if c.System != nil {
		set(*c.System != "", "system", *c.System)
	}
	first := c == &d.Candidates[0]
	set(first && s.KeepLogprobs, "keep-logprobs", "true")
	set(!first && s.UntilDecided, "until-decided", filepath.Join(s.Out, d.Candidates[0].Run))
	set(!first && s.UntilDecided, "margin", format.TypedPoints(s.Margin))
	return all
}
