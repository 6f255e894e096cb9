package score

import (
	"proctor/runner/mark/format"
	"proctor/runner/report/page"
)

// A Context is the figures of the tokens that stand behind From to To others: prompt, other text before it, and completion.
type Context struct {
	From int `json:"from"` // tokens
	To   int `json:"to"`
	Figures
}

// leastContext is where the first stretch of contexts ends; each of the others is as long as all before it.
const leastContext = 256

// byContext makes the figures of tokens by how long their context is; none where that is not known, or all are of one stretch.
func byContext(items []*scoredItem, k kind, confidence float64) []Context {
	behind := func(it *scoredItem, i int) int { return it.Usage.PromptTokens + i }
	longest := 0
	for _, it := range items {
		if it.Usage.PromptTokens == 0 {
			return nil
		}
		longest = max(longest, behind(it, len(it.tokens)-1))
	}
	var all []Context
	for from, to := 0, leastContext; from <= longest; from, to = to, 2*to {
		var some []*scoredItem
		for _, it := range items {
			part := scoredItem{Item: it.Item}
			for i, t := range it.tokens {
				if at := behind(it, i); at >= from && at < to {
					part.tokens = append(part.tokens, t)
				}
			}
			if len(part.tokens) > 0 {
				some = append(some, &part)
			}
		}
		if len(some) > 0 {
			all = append(all, Context{from, to - 1, figuresOf(some, k, confidence)})
		}
	}
	if len(all) < 2 {
		return nil
	}
	return all
}

// contextSection shows how a model's figures go with the length of the context.
func (m *Model) contextSection() page.Section {
	section := page.Section{Title: "By context of " + m.Info.Ref}
	if len(m.ByContext) == 0 {
		return section
	}
	section.Table = &page.Grid{Head: []string{"tokens before", "questions", "tokens", "PPL"}}
	if m.kind.reference {
		section.Table.Head = []string{"tokens before", "questions", "tokens", "Mean KLD", "interval", "99.0% KLD", "Same top p",
			"PPL(Q)/PPL(base)"}
	}
	for _, c := range m.ByContext {
		section.Table.Add(m.cells(format.Count(c.From)+"–"+format.Count(c.To), &c.Figures)...)
	}
	return section
}

// cells are the figures of a part of the tokens, behind its name.
func (m *Model) cells(name string, f *Figures) []string {
	cells := []string{name, format.Count(f.Questions), format.Count(f.Tokens)}
	if m.kind.reference {
		return append(cells, nat(f.MeanKLD), natSpan(f.MeanKLDCI), nat(f.P99KLD), format.Percent(f.SameTop), format.Plain(f.PPLRatio))
	}
	return append(cells, format.Short(f.PPL))
}
