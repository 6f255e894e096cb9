package budget

import (
	"context"
	"fmt"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
)

// A Length is how many tokens a completion is expected to have, all of its answers counted, and what that rests on. The zero value is
// that of a run of which nothing tells.
type Length struct {
	Tokens int
	Source string // for people, behind the number
}

// Full is the length of completions that think as long as they may, and then answer in so many tokens: once, or at each budget.
func Full(budgets []int, answer int) Length {
	most := budgets[len(budgets)-1]
	return Length{most + len(budgets)*answer, "thinking up to the budget of " + format.Count(most)}
}

// ToCap is the length of completions that think, and that nothing but the cap ends.
func ToCap(most int) Length {
	return Length{most, "up to the cap, since the model thinks: " + setting.ThinkBudget.String() + " closes that earlier"}
}

// fewRecords are enough to know how long the others of a run are.
const fewRecords = 1000

// Earlier is how long completions are going to be, from those of another run: their thinking as far as the budgets let it go, and an
// answer at each budget that it reaches. Without budgets they are as long as there. most is the cap of all tokens. Of a run that can't
// be read, or that has no completion yet, the length is zero.
func Earlier(run string, budgets []int, most int) Length {
	reader, err := journal.Open(run)
	if err != nil {
		return Length{} // who needs the run itself says what is wrong with it
	}
	defer reader.Close()
	tokens, records := 0, 0
	for r, err := range reader.Records() {
		if err != nil || records == fewRecords {
			break
		}
		if r.Error != "" || r.Usage.OutputTokens == 0 {
			continue
		}
		tokens += min(most, lengthOf(&r, budgets))
		records++
	}
	if records == 0 {
		return Length{}
	}
	source := "as in " + run
	if own := reader.Header.Budgets; len(own) > 0 {
		source += fmt.Sprintf(", whose thinking was closed at %s", format.Count(own[len(own)-1]))
	}
	return Length{max(1, (tokens+records/2)/records), source}
}

// lengthOf is how long an earlier completion would have been under budgets.
func lengthOf(r *journal.Record, budgets []int) int {
	thinking, all := r.Usage.ThinkingTokens, r.Usage.OutputTokens
	if len(budgets) == 0 {
		return all
	}
	answer, most := max(0, all-thinking), budgets[len(budgets)-1]
	length := min(thinking, most) + answer
	for _, n := range budgets[:len(budgets)-1] {
		if thinking > n {
			length += answer
		}
	}
	return length
}

// Thinks says whether a model's template has it think in a dialogue, of which it gets to know template and context.
func Thinks(ctx context.Context, model backends.Model, d Dialogue) (bool, error) {
	if err := d.of(ctx, model); err != nil {
		return false, err
	}
	return d.thinks(), nil
}

// thinks says whether the model does, where all is known of the dialogue.
func (d *Dialogue) thinks() bool {
	way := ofTemplate(*d)
	return !d.Off && d.Prompt != "" && way != nil && !ends(d.Prompt, way.Close)
}

// of completes a dialogue by what its model has.
func (d *Dialogue) of(ctx context.Context, model backends.Model) error {
	info, err := model.Info(ctx)
	if err != nil {
		return err
	}
	d.Context = info.Model.ContextLength
	if templated, can := model.(backends.Templated); can && d.Own {
		d.Template = templated.ChatTemplate().Text
	}
	return nil
}
