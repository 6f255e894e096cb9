package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"proctor/prompts/dataset/folder"
	"proctor/prompts/dataset/table"
)

// A Mapping says which columns of a file hold what. A dot leads into nested ones, as in choices.text. The zero value leaves it
// all to be recognised; so do fields left out of a mapping, where the columns are a shape that is known.
type Mapping struct {
	Question string
	Options  []string // a column that holds a list, or one column for each option; the last ones may be empty
	Labels   string   // a column with a list of what the file calls its options, which Answer names
	Answer   string
	AnswerIs Reading

	// Instead of Options, Labels and Answer. The options' order follows from their texts.
	Correct   string
	Incorrect []string

	ID      string // whole numbers; without it rows are numbered
	Subject string // without it all are of DefaultSubject
	CoT     string // worked reasoning, of shots
	Src     string // kept beside the question
	Flaw    string // what is wrong with a row: one that has any but "ok" is left out
	Mended  string // the right option where the gold alone is wrong, as an index from 0 or a letter; such a row is used

	Separator string // of CSV: one of [table.Separators]; empty to find it
	NoHeader  bool   // of CSV: the first line is a row, and columns are called 1, 2, 3…
}

// A Reading is the way an answer column names the right option.
type Reading string

// The ways to name the right option.
const (
	AsLetter Reading = "letter" // A, B, C…
	AsIndex0 Reading = "index0" // 0, 1, 2…
	AsIndex1 Reading = "index1" // 1, 2, 3…
	AsText   Reading = "text"   // the option's own text
	AsLabel  Reading = "label"  // one of Labels
)

// A mappingField is one key of a mapping: text's for a single column, columns' for several.
type mappingField struct {
	key     string
	text    *string
	columns *[]string
}

func (m *Mapping) fields() []mappingField {
	return []mappingField{
		{"question", &m.Question, nil}, {"options", nil, &m.Options}, {"labels", &m.Labels, nil}, {"answer", &m.Answer, nil},
		{"answer-is", (*string)(&m.AnswerIs), nil}, {"correct", &m.Correct, nil}, {"incorrect", nil, &m.Incorrect},
		{"subject", &m.Subject, nil}, {"id", &m.ID, nil}, {"cot", &m.CoT, nil}, {"src", &m.Src, nil},
		{"flaw", &m.Flaw, nil}, {"mended", &m.Mended, nil},
		{"separator", &m.Separator, nil},
	}
}

// ReadMapping reads a mapping as people write it: question=prompt,options=A+B+C+D,answer=label, or @FILE for a file with one
// or several of these on a line, and comments after #. A column whose name has a comma, a plus, a quote or a # in it stands in
// double quotes.
func ReadMapping(text string) (m Mapping, err error) {
	if name, ok := strings.CutPrefix(text, "@"); ok {
		err = m.readFile(name)
	} else {
		err = m.parse(text, "mapping "+strconv.Quote(text))
	}
	if err != nil {
		return Mapping{}, err
	}
	return m, nil
}

func (m *Mapping) readFile(name string) error {
	content, err := folder.ReadFile(name)
	if err != nil {
		return fmt.Errorf("mapping %s: %w", name, folder.Bare(err))
	}
	number := 0
	for line := range bytes.Lines(content) {
		number++
		if line := strings.TrimSpace(string(line)); line != "" && line[0] != '#' {
			if err := m.parse(line, fmt.Sprintf("mapping %s:%d", name, number)); err != nil {
				return err
			}
		}
	}
	if m.Empty() {
		return fmt.Errorf("mapping %s says nothing; write lines such as question=prompt", name)
	}
	return nil
}

// storedMapping reads what [Mapping.String] wrote; nothing is the zero value.
func storedMapping(text string) (m Mapping, err error) {
	if text == "" {
		return m, nil
	}
	if err := m.parse(text, "mapping "+strconv.Quote(text)); err != nil {
		return m, err
	}
	return m, m.Check()
}

// parse adds the entries of a line, which errors call what it says.
func (m *Mapping) parse(line, what string) error {
	for rest := line; ; {
		key, after, ok := strings.Cut(rest, "=")
		key = strings.TrimSpace(key)
		if !ok {
			return fmt.Errorf("%s: %q is no KEY=COLUMN, as in question=prompt", what, key)
		}
		names, after, err := columnNames(after)
		if err == nil {
			err = m.set(key, names)
		}
		if err != nil {
			return fmt.Errorf("%s: %s: %w", what, key, err)
		}
		if after = strings.TrimSpace(after); after == "" || after[0] == '#' {
			return nil
		}
		rest = strings.TrimPrefix(after, ",")
	}
}

// columnNames reads names with a plus between them, up to a comma, a # or the end.
func columnNames(text string) (names []string, rest string, err error) {
	for {
		text = strings.TrimLeft(text, " \t")
		quoted, err := strconv.QuotedPrefix(text)
		var name string
		if err == nil && quoted[0] == '"' {
			name, _ = strconv.Unquote(quoted)
			text = strings.TrimLeft(text[len(quoted):], " \t")
		} else {
			end := strings.IndexAny(text, ",+#")
			if end < 0 {
				end = len(text)
			}
			name, text = strings.TrimSpace(text[:end]), text[end:]
		}
		if name == "" {
			return nil, "", errors.New("a column's name is missing")
		}
		names = append(names, name)
		if !strings.HasPrefix(text, "+") {
			if text != "" && text[0] != ',' && text[0] != '#' {
				return nil, "", fmt.Errorf("after %q: want a comma, a plus or the end, not %q", name, text)
			}
			return names, text, nil
		}
		text = text[1:]
	}
}

func (m *Mapping) set(key string, names []string) error {
	if key == "header" {
		if m.NoHeader || !slices.Equal(names, []string{"no"}) {
			return errors.New("there is header=no, once")
		}
		m.NoHeader = true
		return nil
	}
	var keys []string
	for _, f := range m.fields() {
		keys = append(keys, f.key)
		if f.key != key {
			continue
		}
		if f.columns != nil {
			if len(*f.columns) > 0 {
				return errors.New("it is given twice")
			}
			*f.columns = names
			return nil
		}
		if *f.text != "" {
			return errors.New("it is given twice")
		}
		if len(names) > 1 {
			return fmt.Errorf("it takes one column, not %d; several are for options and incorrect", len(names))
		}
		*f.text = names[0]
		return m.checkWords()
	}
	return fmt.Errorf("there is no such key; there are %s and header", strings.Join(keys, ", "))
}

// checkWords checks the keys whose values are no columns.
func (m *Mapping) checkWords() error {
	readings := []Reading{AsLetter, AsIndex0, AsIndex1, AsText, AsLabel}
	if m.AnswerIs != "" && !slices.Contains(readings, m.AnswerIs) {
		return fmt.Errorf("%q is none of letter, index0, index1, text, label", m.AnswerIs)
	}
	if _, ok := table.Separators[m.Separator]; !ok && m.Separator != "" {
		return fmt.Errorf("%q is none of comma, semicolon, tab, pipe", m.Separator)
	}
	return nil
}

// Empty says whether the mapping leaves all to be recognised.
func (m Mapping) Empty() bool { return m.String() == "" }

// String is the mapping as people write it, always in the same order.
func (m Mapping) String() string {
	var entries []string
	for _, f := range m.fields() {
		names := []string{}
		if f.columns != nil {
			names = *f.columns
		} else if *f.text != "" {
			names = []string{*f.text}
		}
		if len(names) == 0 {
			continue
		}
		written := make([]string, len(names))
		for i, name := range names {
			written[i] = name
			if strings.ContainsAny(name, ",+#\"\n") || strings.TrimSpace(name) != name {
				written[i] = strconv.Quote(name)
			}
		}
		entries = append(entries, f.key+"="+strings.Join(written, "+"))
	}
	if m.NoHeader {
		entries = append(entries, "header=no")
	}
	return strings.Join(entries, ",")
}

// Columns are all that the mapping names.
func (m Mapping) Columns() []string {
	all := slices.Concat([]string{m.Question, m.Labels, m.Answer, m.Correct, m.ID, m.Subject, m.CoT, m.Src, m.Flaw, m.Mended},
		m.Options, m.Incorrect)
	return slices.DeleteFunc(all, func(name string) bool { return name == "" })
}

// Check says what a mapping lacks, or has too much of.
func (m Mapping) Check() error {
	switch {
	case m.Question == "":
		return errors.New("it lacks question=COLUMN")
	case m.Correct != "" && len(m.Options) > 0, m.Correct != "" && m.Answer != "", m.Correct != "" && m.AnswerIs != "",
		m.Correct != "" && m.Labels != "":
		return errors.New("correct=COLUMN stands instead of options, labels, answer and answer-is")
	case (m.Correct != "") != (len(m.Incorrect) > 0):
		return errors.New("correct=COLUMN and incorrect=COLUMN+COLUMN go together")
	case m.Correct == "" && len(m.Options) == 0:
		return errors.New("it lacks options=COLUMN, or options=COLUMN+COLUMN+… where each has one of its own")
	case m.Correct == "" && m.Answer == "":
		return errors.New("it lacks answer=COLUMN")
	case (m.AnswerIs == AsLabel) != (m.Labels != "") && m.AnswerIs != "":
		return errors.New("answer-is=label and labels=COLUMN go together")
	}
	return nil
}

// With is the mapping with what another one says in its place.
func (m Mapping) With(given Mapping) Mapping {
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

// Only is the mapping without the columns that a file lacks.
func (m Mapping) Only(has func(column string) bool) Mapping {
	for _, f := range m.fields() {
		if f.text != nil && !has(*f.text) {
			*f.text = ""
		}
	}
	return m
}
