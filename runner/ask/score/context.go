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

// A row is the figures of some of the tokens, by their name.
type row struct {
	name string
	*Figures
}

func (m *Model) contexts() (rows []row) {
	for i := range m.ByContext {
		c := &m.ByContext[i]
		rows = append(rows, row{format.Count(c.From) + "–" + format.Count(c.To), &c.Figures})
	}
	return rows
}

func (m *Model) subjects() (rows []row) {
	for i := range m.Subjects {
		rows = append(rows, row{m.Subjects[i].Subject, &m.Subjects[i].Figures})
	}
	return rows
}

// parts is a table of the parts of a model's tokens, where there are several.
func (m *Model) parts(title, first string, rows []row) page.Section {
	if len(rows) < 2 {
		return page.Section{}
	}
	grid := &page.Grid{Head: []string{first, "questions", "tokens", "PPL"}}
	if m.kind.reference {
		grid.Head = append(grid.Head[:3], "Mean KLD", "interval", "99.0% KLD", "Same top p", "PPL(Q)/PPL(base)")
	}
	for _, r := range rows {
		cells := []string{r.name, format.Count(r.Questions), format.Count(r.Tokens), format.Short(r.PPL)}
		if m.kind.reference {
			cells = append(cells[:3], nat(r.MeanKLD), natSpan(r.MeanKLDCI), nat(r.P99KLD), format.Percent(r.SameTop), format.Plain(r.PPLRatio))
		}
		grid.Add(cells...)
	}
	return page.Section{Title: title + " of " + m.Info.Ref, Table: grid}
}
