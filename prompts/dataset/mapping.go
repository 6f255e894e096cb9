package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"proctor/backends/setting"
	"proctor/prompts/dataset/table"
)

// A Mapping says which columns of a file hold what. A dot leads into nested ones, as in choices.text. What it leaves
// open is recognised where the other columns are those of one of the [layouts].
type Mapping struct {
	columns map[string][]string // by key; several for options that have a column each
	reading Reading             // of the answer; empty to find it
	layout  string              // that was recognised, for people
}

// keys are those that people write:
//
//	question
//	options   a list, or a column for each, of which the last ones may be empty
//	answer    the right option; if it is one of several columns of options, their order follows from their texts
//	subject   without it all are of DefaultSubject
//	id        whole numbers; without it rows are numbered
//	cot       worked reasoning, of shots
//
// Layouts have three more: labels, names of the options, one of which is the answer; index, a second answer; src.
var keys = []string{"question", "options", "answer", "subject", "id", "cot"}

// goneKeys say what to do instead of giving keys that there were.
var goneKeys = map[string]string{
	"answer-is": "write answer=COLUMN:index1, or :letter, :index0, :text",
	"correct":   "write answer=RIGHT, and that column among the options: options=RIGHT+WRONG+WRONG",
	"incorrect": "write options=RIGHT+WRONG+WRONG,answer=RIGHT",
	"labels":    "write the answers as letters, as indices or as the options' texts",
	"src":       "leave it out",
	"flaw":      "leave rows with flaws out of the file",
	"mended":    "correct the answers in the file",
	"separator": "save the file with commas, semicolons or tabs",
	"header":    "put the columns' names into a first line",
}

const columnName = `(?:\s*"(?:[^"\\]|\\.)*"[^,+#"]*|[^,+#"]+)`

var (
	names   = regexp.MustCompile(columnName)
	entries = regexp.MustCompile(`^([^=,#]*[^=,#\s])\s*=(` + columnName + `(?:\+` + columnName + `)*)(?:,|#.*|$)`)
	quoted  = regexp.MustCompile(`^"(?:[^"\\]|\\.)*"`)
)

// ReadMapping reads a mapping as people write it: question=prompt,options=A+B+C+D,answer=label:index1, also on several
// lines, and with comments after #. A name with a comma, a plus, a quote or a # in it stands in double quotes.
func ReadMapping(text string) (m Mapping, err error) {
	if m, err = parseMapping(text); err != nil {
		return m, err
	}
	for _, key := range slices.Sorted(maps.Keys(m.columns)) {
		if instead, gone := goneKeys[key]; gone {
			return m, fmt.Errorf("mapping %s=: there is no such key any more: %s", key, instead)
		}
		if !slices.Contains(keys, key) {
			return m, fmt.Errorf("mapping %s=: there is no such key; there are %s", key, strings.Join(keys, ", "))
		}
		if n := len(m.columns[key]); n > 1 && key != "options" {
			return m, fmt.Errorf("mapping %s=: it takes one column, not %d; several are for options", key, n)
		}
	}
	if m.Empty() {
		return m, errors.New("the mapping says nothing; write question=prompt and so on")
	}
	return m, nil
}

func parseMapping(text string) (m Mapping, err error) {
	m.columns = map[string][]string{}
	for line := range strings.Lines(text) {
		for line = strings.TrimSpace(line); line != "" && line[0] != '#'; {
			entry := entries.FindStringSubmatch(line)
			if entry == nil {
				return m, fmt.Errorf("mapping %q: want KEY=COLUMN, as in question=prompt, and options=A+B+C; a name with a comma, "+
					"a plus or a # goes into double quotes", line)
			}
			key := entry[1]
			if m.columns[key] != nil {
				return m, fmt.Errorf("mapping %q: %s is given twice", line, key)
			}
			for _, name := range names.FindAllString(entry[2], -1) {
				name = strings.TrimSpace(name)
				bare, err := strconv.Unquote(cmp.Or(quoted.FindString(name), `""`))
				if bare += quoted.ReplaceAllString(name, ""); err != nil || bare == "" {
					return m, fmt.Errorf("mapping %q: %s: %q is no column's name", line, key, name)
				}
				at := strings.LastIndexByte(bare, ':')
				if reading := Reading(bare[at+1:]); key == "answer" && at > 0 && slices.Contains(readings, reading) {
					bare, m.reading = bare[:at], reading
				}
				m.columns[key] = append(m.columns[key], bare)
			}
			line = strings.TrimSpace(line[len(entry[0]):])
		}
	}
	return m, nil
}

// Empty says whether the mapping leaves all to be recognised.
func (m Mapping) Empty() bool { return len(m.columns) == 0 }

// String is the mapping as people write it, always in the same order.
func (m Mapping) String() string {
	var entries []string
	for _, key := range keys {
		columns := slices.Clone(m.columns[key])
		for i, name := range columns {
			if strings.ContainsAny(name, ",+#\"\n") || strings.TrimSpace(name) != name {
				columns[i] = strconv.Quote(name)
			}
		}
		text := key + "=" + strings.Join(columns, "+")
		if key == "answer" && m.reading != "" {
			text += ":" + string(m.reading)
		}
		if len(columns) > 0 {
			entries = append(entries, text)
		}
	}
	return strings.Join(entries, ",")
}

// of is the column of a key; empty for none.
func (m Mapping) of(key string) string { return strings.Join(m.columns[key], "+") }

// all are the columns that the mapping names.
func (m Mapping) all() []string { return slices.Concat(slices.Collect(maps.Values(m.columns))...) }

// with is the mapping with what another one says in its place.
func (m Mapping) with(given Mapping) Mapping {
	m.columns = maps.Clone(m.columns)
	if given.of("answer") != "" || given.of("options") != "" {
		delete(m.columns, "labels")
	}
	if given.of("answer") != "" {
		delete(m.columns, "index")
		m.reading = given.reading
	}
	maps.Copy(m.columns, given.columns)
	return m
}

// A layout names the columns that a kind of file has: question, options, labels and answer, and others that it may
// have. Letter case does not count. LETTERS stands for A, B and so on, each with a column.
type layout struct{ name, columns string }

const (
	others   = ",index=answer_index,subject=category,id=question_id,cot=cot_content,src=src"
	mmlu     = "MMLU's columns"
	lettered = "LETTERS"
)

// layouts are those of sets as they are published. The first that fits is taken.
var layouts = []layout{
	{"ARC's columns", "question=question,options=choices.text,labels=choices.label,answer=answerKey,src=id"},
	{"ARC's columns, as its authors have them",
		"question=question.stem,options=question.choices.text,labels=question.choices.label,answer=answerKey,src=id"},
	{"GPQA's columns", "question=Question,answer=Correct Answer,subject=High-level domain,src=Record ID," +
		"options=Correct Answer+Incorrect Answer 1+Incorrect Answer 2+Incorrect Answer 3"},
	{"SuperGPQA's columns", "question=question,options=options,answer=answer_letter,subject=discipline,src=uuid"},
	{"MMLU-Pro's columns", "question=question,options=options,answer=answer" + others},
	{mmlu, "question=question,options=choices,answer=answer" + others},
	{"a column an option", "question=question,options=" + lettered + ",answer=answer" + others},
}

// synonyms are names of columns that stand in for others.
var synonyms = map[string]string{
	"answer": "answer_index", "category": "subject", "cot_content": "explanation", "src": "source",
}

// columnOf is the first of some names that a table has, as the table writes it; empty for none.
func columnOf(t *table.Table, names ...string) string {
	for _, name := range names {
		for _, column := range t.Columns {
			if strings.EqualFold(column, name) {
				return column
			}
		}
	}
	return ""
}

// in finds a layout's columns in a table; ok is false where one is missing that must be there and is not given.
func (l layout) in(t *table.Table, given Mapping) (m Mapping, ok bool) {
	wanted, err := parseMapping(l.columns)
	if err != nil {
		return m, false
	}
	m = Mapping{columns: map[string][]string{}, layout: l.name}
	for key, columns := range wanted.columns {
		for _, column := range columns {
			if column == lettered {
				for _, folder := range []string{"", "options.", "choices."} { // objects of options, such as {"A": …, "B": …}
					for i := 0; i < MaxOptions && columnOf(t, folder+Letter(i)) != ""; i++ {
						m.columns[key] = append(m.columns[key], columnOf(t, folder+Letter(i)))
					}
				}
			} else if found := columnOf(t, column, synonyms[column]); found != "" {
				m.columns[key] = append(m.columns[key], found)
			}
		}
	}
	if !numbered(t, m.of("id")) {
		delete(m.columns, "id")
	}
	for _, key := range []string{"question", "options", "answer", "labels"} {
		n := len(m.columns[key])
		if given.columns[key] == nil && (n < len(wanted.columns[key]) || n == 1 && wanted.of(key) == lettered) &&
			(key != "labels" || given.of("options")+given.of("answer") == "") {
			return m, false
		}
	}
	return m.with(given), true
}

// mappingOf completes a mapping by the first layout whose columns a table has.
func mappingOf(t *table.Table, given Mapping) (Mapping, error) {
	for _, column := range given.all() {
		if !slices.Contains(t.Columns, column) {
			return given, fmt.Errorf("there is no column %q, which the mapping names; there are %q", column, t.Columns)
		}
	}
	complete := given.of("question") != "" && given.of("options") != "" && given.of("answer") != ""
	if complete || len(t.Columns) == 0 { // without any column all rows are bad
		return given, nil
	}
	for _, l := range layouts {
		m, ok := l.in(t, given)
		if ok && l.name == mmlu && slices.Contains(t.Columns, "error_type") {
			return m, fmt.Errorf("the column error_type says which rows have flaws: keep those without, as in "+
				`jq -c 'select(.error_type == "ok") | del(.error_type)', or take all rows: %s`,
				setting.Map.As("question=question,options=choices,answer=answer"))
		}
		if ok {
			return m, nil
		}
	}
	if last := t.Columns[len(t.Columns)-1]; len(last) == 1 && strings.Contains(letters, last) && len(t.Columns) > 3 {
		return given, fmt.Errorf("the first line is a question and ends in its answer, %s: put a line of names before it, "+
			"as in question,A,B,C,D,answer", last)
	}
	return given, fmt.Errorf("its columns, %q, are not recognised; say which is which: %s", t.Columns,
		setting.Map.As(proposed(t, given).String()))
}

// plain says whether a mapping that was recognised is MMLU-Pro's own, but for names that mean the same.
func (m Mapping) plain() bool {
	columns := m.of("question") + " " + m.of("options") + " " + m.of("answer") + ":" + string(m.reading)
	return m.layout != "" && plainColumns.MatchString(columns)
}

var plainColumns = regexp.MustCompile(`^question (options|choices) (answer:letter|answer_index:index0)$`)

// numbered says whether a column has whole numbers and nothing else.
func numbered(t *table.Table, column string) bool {
	return !slices.ContainsFunc(t.Rows, func(r table.Row) bool {
		_, whole := table.Whole(r.Cells[column])
		return !whole && r.Cells[column] != nil
	})
}

// What people call the columns that a proposal looks for.
var (
	questionNames = strings.Fields("question prompt query text problem stem item instruction question_stem")
	answerNames   = strings.Fields("answer key correct gold label solution target answer_key correct_answer ground_truth")
	optionsNames  = strings.Fields("options choices choices.text answers candidates")
	optionName    = regexp.MustCompile(`(?i)^(?:(?:option|choice|opt|ans|answer)[ _-]*\d{1,2}|` +
		`(?:(?:option|choice|opt|ans|answer)[ _-]+)?[a-z]|\d{1,2})$`)
)

// proposed is the mapping that a table suggests; COLUMN stands where it suggests none. A column by its name is first.
// Else the question is the column with most different text, and the answer the last that can be read as one.
func proposed(t *table.Table, given Mapping) Mapping {
	question, most := "COLUMN", 0
	var options, others []string
	for _, column := range t.Columns {
		if slices.Contains(given.all(), column) {
			continue
		}
		if optionName.MatchString(column) {
			options = append(options, column)
			continue
		}
		others = append(others, column)
		texts := map[string]bool{}
		for _, r := range t.Rows {
			text, _ := table.Text(r.Cells[column])
			texts[text] = true
		}
		length := len(strings.Join(slices.Collect(maps.Keys(texts)), ""))
		if slices.ContainsFunc(questionNames, func(name string) bool { return strings.EqualFold(name, column) }) {
			length += 1 << 30
		}
		if length > most && 2*len(texts) > len(t.Rows) && !numbered(t, column) {
			question, most = column, length
		}
	}
	if len(options) < 2 {
		options = []string{cmp.Or(columnOf(t, optionsNames...), "COLUMN")}
	}
	answer := cmp.Or(columnOf(t, answerNames...), "COLUMN")
	m := Mapping{columns: map[string][]string{"question": {question}, "options": options, "answer": {answer}}}.with(given)
	rows := good(m.rows(part{files: make([]file, 1), tables: []*table.Table{t}}))
	fits := func(t trial) bool { return t.fits == len(rows) && t.fits > 0 }
	for _, column := range slices.Backward(others) {
		if m.of("answer") == "COLUMN" && column != question && slices.ContainsFunc(try(rows, column, readings), fits) {
			m.columns["answer"] = []string{column}
		}
	}
	return m
}
