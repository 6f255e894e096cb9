package dataset

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"proctor/backends/setting"
	"proctor/prompts/dataset/folder"
	"proctor/prompts/dataset/table"
)

// A shape describes a known kind of file by its columns: a file of this kind has all that are needed.
type shape struct {
	name         string // for people
	needed, also string // mappings; the columns of the second are taken where the file has them
}

// shapes are tried in turn. MMLU-Pro's own comes before them.
var shapes = []shape{
	{"ARC's columns", "question=question,options=choices.text,labels=choices.label,answer=answerKey,answer-is=label", "src=id"},
	{"ARC's columns, as its authors have them", "question=question.stem,options=question.choices.text,labels=question.choices.label," +
		"answer=answerKey,answer-is=label", "src=id"},
	{"SuperGPQA's columns", "question=question,options=options,answer=" + superGPQAAnswer + ",answer-is=letter", "subject=discipline,src=uuid"},
	{"MMLU-ProX's columns", "question=question,options=option_0+option_1+option_2+option_3+option_4+option_5+option_6+option_7+option_8+" +
		"option_9,answer=answer,answer-is=letter", "id=question_id,subject=category,cot=cot_content,src=src"},
	{"MMLU-Redux's columns", "question=question,options=choices,answer=answer,answer-is=index0,flaw=error_type",
		"subject=subject,src=source,mended=correct_answer"},
	{"MMLU's columns", "question=question,options=choices,answer=answer", "subject=subject,src=source"},
	{"MMLU's columns, choices called options", "question=question,options=options,answer=answer", "subject=subject,src=source"},
	{"GPQA's columns", "question=Question,correct=Correct Answer,incorrect=Incorrect Answer 1+Incorrect Answer 2+Incorrect Answer 3",
		"subject=High-level domain,src=Record ID"},
}

// superGPQAAnswer is the column that distinguishes SuperGPQA's from MMLU-Pro's, beside an answer that is a text.
const superGPQAAnswer = "answer_letter"

// headless is the mapping of MMLU's own files: CSV without a header, each row a question, its options and a letter.
func headless(f folder.File) (m Mapping, ok bool) {
	t, err := table.Open(f.Data, table.Options{Name: f.Shown, Separator: table.Separators["comma"], NoHeader: true})
	if err != nil || !strings.HasPrefix(t.Format, "CSV") || len(t.Columns) < 4 {
		return m, false
	}
	last := len(t.Columns) - 1
	m = Mapping{
		Question: t.Columns[0], Options: t.Columns[1:last], Answer: t.Columns[last], AnswerIs: AsLetter, Separator: "comma", NoHeader: true,
	}
	err = t.Rows(nil, func(r table.Row) bool {
		_, why := option(AsLetter, r.At(m.Answer), m.Options, nil)
		ok = r.Bad == "" && why == ""
		return ok
	})
	return m, ok && err == nil
}

func recognise(t *table.Table) (m Mapping, name string, err error) {
	for _, s := range shapes {
		needed, err := ReadMapping(s.needed)
		also, wrong := ReadMapping(s.also)
		if err := cmp.Or(err, wrong); err != nil {
			return m, "", err
		}
		if !slices.ContainsFunc(needed.Columns(), func(column string) bool { return !slices.Contains(t.Columns, column) }) {
			return needed.With(also.Only(t.Has)), s.name, nil
		}
	}
	if m, ok := lettered(t); ok {
		return m, "a column an option", nil
	}
	return m, "", fmt.Errorf("its columns, %s, are not recognised; say which is which: %s", named(t.Columns),
		setting.Map.As(proposed(t).String()))
}

// What people call the columns that a proposal looks for.
var (
	questionNames = []string{"question", "prompt", "query", "text", "problem", "stem", "item", "instruction"}
	answerNames   = []string{"answer", "key", "correct", "gold", "label", "solution", "target", "answer_key", "correct_answer", "ground_truth"}
	optionName    = regexp.MustCompile(`(?i)^(?:(?:option|choice|opt|ans|answer)[ _-]*\d{1,2}|` +
		`(?:(?:option|choice|opt|ans|answer)[ _-]+)?[a-z]|\d{1,2})$`)
)

// proposed is the mapping that a table's columns suggest, to be looked at; COLUMN stands where they suggest none. Beside columns of
// options, the first column is the question and the last the answer.
func proposed(t *table.Table) Mapping {
	m := Mapping{Question: "COLUMN", Answer: "COLUMN"}
	var others []string
	for _, column := range t.Columns {
		if optionName.MatchString(column) {
			m.Options = append(m.Options, column)
		} else {
			others = append(others, column)
		}
	}
	called := func(names []string) string {
		i := slices.IndexFunc(others, func(column string) bool { return slices.Contains(names, strings.ToLower(column)) })
		if i < 0 {
			return ""
		}
		return others[i]
	}
	first, last := "COLUMN", "COLUMN"
	if len(m.Options) > 1 && len(others) > 1 {
		first, last = others[0], others[len(others)-1]
	}
	if len(m.Options) < 2 {
		m.Options = []string{cmp.Or(called([]string{"options", "choices", "answers", "candidates"}), "COLUMN")}
	}
	m.Question, m.Answer = cmp.Or(called(questionNames), first), cmp.Or(called(answerNames), last)
	return m
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
		CoT: like("cot_content", "explanation"), Src: like("src"),
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

// usual returns the mapping of columns with the usual names, if these complete a given mapping; else nothing.
func usual(t *table.Table, given Mapping) Mapping {
	options, _ := lettered(t)
	missing := func(column string) bool { return !t.Has(column) && !slices.Contains(given.Columns(), column) }
	for _, m := range []Mapping{nativeMapping(t), options} {
		whole := m.With(given)
		if whole.Check() == nil && !slices.ContainsFunc(slices.Concat(whole.Options, whole.Columns()), missing) {
			return m
		}
	}
	return Mapping{}
}

// mappingOf is the mapping of a table: what is given, the rest as it is recognised. The zero mapping stands for MMLU-Pro's own
// columns. shape names what was recognised, if anything was.
func mappingOf(t *table.Table, given Mapping) (m Mapping, shape string, err error) {
	reading := Mapping{Separator: given.Separator, NoHeader: given.NoHeader}
	if given.Check() != nil {
		native, err := isNative(t)
		if err != nil {
			return m, "", err
		}
		switch {
		case native && given.Empty():
			return m, "MMLU-Pro's columns", nil
		case native:
			m, shape = nativeMapping(t), "MMLU-Pro's columns"
		default:
			if m, shape, err = recognise(t); err != nil && given.String() == reading.String() {
				return m, "", err
			} else if err != nil {
				m = usual(t, given)
			}
		}
	}
	m = m.With(given)
	if err := m.Check(); err != nil {
		return m, "", fmt.Errorf("mapping %s: %w; columns: %s", m, err, named(t.Columns))
	}
	for _, column := range m.Columns() {
		if !t.Has(column) {
			return m, "", fmt.Errorf("there is no column %q, which the mapping names; there are %s", column, named(t.Columns))
		}
	}
	return m, shape, nil
}

func named(columns []string) string {
	const shown = 30
	quoted := fmt.Sprintf("%q", columns[:min(len(columns), shown)])
	if len(columns) > shown {
		quoted += fmt.Sprintf(" and %d more", len(columns)-shown)
	}
	return quoted
}
