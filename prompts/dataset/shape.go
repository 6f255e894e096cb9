package dataset

import (
	"fmt"
	"slices"
	"strings"

	"proctor/prompts/dataset/table"
)

// A shape is what a known kind of file looks like: it has all of the columns that are needed.
type shape struct {
	name   string // for people
	needed Mapping
	also   Mapping // columns that are taken where the file has them
}

// shapes are tried in turn. MMLU-Pro's own comes before them.
var shapes = []shape{
	{
		"ARC's columns",
		Mapping{Question: "question", Options: []string{"choices.text"}, Labels: "choices.label", Answer: "answerKey", AnswerIs: AsLabel},
		Mapping{Src: "id"},
	},
	{
		"MMLU's columns",
		Mapping{Question: "question", Options: []string{"choices"}, Answer: "answer"},
		Mapping{Subject: "subject", Src: "source"},
	},
	{
		"MMLU's columns, choices called options",
		Mapping{Question: "question", Options: []string{"options"}, Answer: "answer"},
		Mapping{Subject: "subject", Src: "source"},
	},
	{
		"GPQA's columns",
		Mapping{
			Question: "Question", Correct: "Correct Answer",
			Incorrect: []string{"Incorrect Answer 1", "Incorrect Answer 2", "Incorrect Answer 3"},
		},
		Mapping{Subject: "High-level domain", Src: "Record ID"},
	},
}

// recognise finds the shape of a table.
func recognise(t *table.Table) (m Mapping, name string, err error) {
	for _, s := range shapes {
		if !slices.ContainsFunc(s.needed.columns(), func(column string) bool { return !slices.Contains(t.Columns, column) }) {
			m = s.needed
			optional, to := s.also.fields(), m.fields()
			for i, f := range optional {
				if f.text != nil && *f.text != "" && slices.Contains(t.Columns, *f.text) {
					*to[i].text = *f.text
				}
			}
			return m, s.name, nil
		}
	}
	if m, ok := lettered(t); ok {
		return m, "a column an option", nil
	}
	return m, "", fmt.Errorf("its columns, %s, are no shape that is known; say which is which: "+
		"--map question=COLUMN,options=COLUMN,answer=COLUMN", named(t.Columns))
}

// lettered is the shape with columns A, B and so on beside a question and an answer, in any case.
func lettered(t *table.Table) (m Mapping, ok bool) {
	like := func(names ...string) string {
		for _, name := range names {
			if i := slices.IndexFunc(t.Columns, func(have string) bool { return strings.EqualFold(have, name) }); i >= 0 {
				return t.Columns[i]
			}
		}
		return ""
	}
	m = Mapping{
		Question: like("question"), Answer: like("answer"), Subject: like("subject", "category"), ID: like("question_id"),
		CoT: like("cot_content"), Src: like("src"),
	}
	for i := range MaxOptions {
		column := like(Letter(i))
		if column == "" {
			break
		}
		m.Options = append(m.Options, column)
	}
	return m, m.Question != "" && m.Answer != "" && len(m.Options) > 1
}

// mappingOf is the mapping of a table: what is given, the rest as it is recognised. The zero mapping stands for MMLU-Pro's own
// columns. shape names what was recognised, if anything was.
func mappingOf(t *table.Table, given Mapping) (m Mapping, shape string, err error) {
	reading := Mapping{Separator: given.Separator, NoHeader: given.NoHeader}
	if given.check() != nil {
		native, err := isNative(t)
		if err != nil {
			return m, "", err
		}
		switch {
		case native && given.empty():
			return m, "MMLU-Pro's columns", nil
		case native:
			m, shape = nativeMapping(t), "MMLU-Pro's columns"
		default:
			if m, shape, err = recognise(t); err != nil && given.String() == reading.String() {
				return m, "", err
			}
		}
	}
	m = m.with(given)
	if err := m.check(); err != nil {
		return m, "", fmt.Errorf("mapping %s: %w; columns: %s", m, err, named(t.Columns))
	}
	for _, column := range m.columns() {
		if !t.Has(column) {
			return m, "", fmt.Errorf("there is no column %q, which the mapping names; there are %s", column, named(t.Columns))
		}
	}
	return m, shape, nil
}

// with is the mapping with what another one says in its place.
func (m Mapping) with(given Mapping) Mapping {
	if given.Correct != "" {
		m.Options, m.Labels, m.Answer, m.AnswerIs = nil, "", "", ""
	}
	if len(given.Options) > 0 || given.Answer != "" {
		m.Correct, m.Incorrect, m.AnswerIs = "", nil, ""
	}
	if given.AnswerIs != "" && given.AnswerIs != AsLabel {
		m.Labels = ""
	}
	to := m.fields()
	for i, f := range given.fields() {
		if f.columns != nil && len(*f.columns) > 0 {
			*to[i].columns = *f.columns
		} else if f.text != nil && *f.text != "" {
			*to[i].text = *f.text
		}
	}
	m.NoHeader = given.NoHeader
	return m
}

func named(columns []string) string {
	const shown = 30
	quoted := fmt.Sprintf("%q", columns[:min(len(columns), shown)])
	if len(columns) > shown {
		quoted += fmt.Sprintf(" and %d more", len(columns)-shown)
	}
	return quoted
}
