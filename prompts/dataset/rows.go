package dataset

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize/english"

	"proctor/backends/setting"
	"proctor/prompts/dataset/table"
	"proctor/prompts/task"
)

// A row is a question in the making.
type row struct {
	table.Row
	file     *file
	question Question
	labels   []string // of its options
	empty    int      // options at the end that say nothing and are left out
}

// rows reads a part's rows, but for their answers.
func (m Mapping) rows(p part) (rows []*row) {
	before := 0 // rows of the files before
	for i, t := range p.tables {
		for _, from := range t.Rows {
			r := &row{Row: from, file: &p.files[i]}
			r.question = Question{ID: before + r.Number, Subject: cmp.Or(r.file.subject, DefaultSubject), Row: r.Line}
			if rows = append(rows, r); r.Bad == "" {
				r.fill(m)
			}
		}
		if len(t.Rows) > 0 {
			before += t.Rows[len(t.Rows)-1].Number
		}
	}
	return rows
}

func (r *row) at() string { return fmt.Sprintf("%s:%d", r.file.shown, r.Line) }

// failIf makes a bad row; the first reason counts.
func (r *row) failIf(wrong bool, format string, values ...any) {
	if wrong && r.Bad == "" {
		r.Bad = fmt.Sprintf(format, values...)
	}
}

// good are the rows without a reason why they can be no questions.
func good(rows []*row) []*row {
	return slices.DeleteFunc(slices.Clone(rows), func(r *row) bool { return r.Bad != "" })
}

// fill reads the columns of a mapping.
func (r *row) fill(m Mapping) {
	q := &r.question
	q.Text, q.CoT, q.Src = r.text(m.of("question")), r.text(m.of("cot")), r.text(m.of("src"))
	q.Subject = cmp.Or(strings.TrimSpace(r.text(m.of("subject"))), q.Subject) // "math " is no subject beside "math"
	if value := r.Cells[m.of("id")]; value != nil {
		id, whole := table.Whole(value)
		r.failIf(!whole, "%s is %s, and no whole number: leave id out, and rows are numbered", m.of("id"), table.Kind(value))
		q.ID = int(id)
	}
	var options []string
	columns := m.columns["options"]
	name := func(i int) string { return columns[i] }
	if len(columns) == 1 {
		options, name = r.list(columns[0]), func(i int) string { return fmt.Sprintf("option %d of %s", i+1, columns[0]) }
	} else {
		for _, column := range columns {
			options = append(options, r.text(column))
		}
	}
	// Files fill up their lists and columns with empty options. One before others would keep its letter.
	n := len(options)
	for n > 0 && table.Blank(options[n-1]) {
		n--
	}
	q.Options, r.empty = options[:n], len(options)-n
	for i, option := range q.Options {
		r.failIf(table.Blank(option), "%s is empty, and another option follows: write it, or take it out", name(i))
	}
	if r.labels = r.list(m.of("labels")); len(r.labels) == len(options) {
		r.labels = r.labels[:n]
	}
	if len(columns) > 1 && slices.Contains(columns, m.of("answer")) {
		// The file says which option is right, and nothing of their order: it depends on nothing but texts.
		slices.SortStableFunc(q.Options, func(a, b string) int {
			x, y := sha256.Sum256([]byte(q.Text+"\x00"+a)), sha256.Sum256([]byte(q.Text+"\x00"+b))
			return slices.Compare(x[:], y[:])
		})
	}
	for _, text := range append([]string{q.Text, q.CoT, q.Subject, q.Src}, q.Options...) {
		r.failIf(!utf8.ValidString(text), "text is not UTF-8")
	}
	r.failIf(table.Blank(q.Text), "empty question")
	r.failIf(n == 0, "no options")
	r.failIf(n == 1, "only one option")
	r.failIf(n > MaxOptions, "%d options, at most %d have letters", n, MaxOptions)
}

// text is a column's text; empty where there is none.
func (r *row) text(column string) string {
	text, ok := table.Text(r.Cells[column])
	r.failIf(!ok, "%s is %s, want text", column, table.Kind(r.Cells[column]))
	return text
}

// list is a column's list of texts; nil where there is none. A text may hold one, as JSON.
func (r *row) list(column string) []string {
	value := r.Cells[column]
	if table.Blank(value) {
		return nil
	}
	elements, isList := value.([]any)
	if text, ok := value.(string); ok {
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		isList = json.Valid([]byte(text)) && decoder.Decode(&elements) == nil
		r.failIf(!isList, `%s is the text %.40q, want a list: in JSON, as in ["3", "4"], or a column for each option`,
			column, text)
	}
	r.failIf(!isList, "%s is %s, want a list of strings", column, table.Kind(value))
	texts := make([]string, len(elements))
	for i, element := range elements {
		text, ok := table.Text(element)
		r.failIf(!ok, "an element of %s is %s, want a string", column, table.Kind(element))
		texts[i] = text
	}
	return texts
}

// A Reading is the way a column names the right option.
type Reading string

// The ways to name the right option.
const (
	AsLetter Reading = "letter" // A, B, C…, in any case
	AsIndex0 Reading = "index0" // 0, 1, 2…
	AsIndex1 Reading = "index1" // 1, 2, 3…
	AsText   Reading = "text"   // the option's own text

	asLabel Reading = "label" // one of the row's labels; of layouts that have them
)

// readings are those that are tried on a column, and that people may say.
var readings = []Reading{AsLetter, AsIndex0, AsIndex1, AsText}

// gold is the index of the option that a value names, or why it names none.
func (is Reading) gold(value any, options, labels []string) (index int, why string) {
	text, _ := table.Text(value)
	text = strings.TrimSpace(text)
	among := options
	switch is {
	case AsIndex0, AsIndex1:
		first := 0
		if is == AsIndex1 {
			first = 1
		}
		if n, whole := table.Whole(value); whole && n >= int64(first) && n < int64(first+len(options)) {
			return int(n) - first, ""
		}
		return -1, fmt.Sprintf("%q is not an index of %d options from %d (%[3]d–%d)", text, len(options), first,
			first+len(options)-1)
	case AsLetter:
		if index = strings.Index(letters, strings.ToUpper(text)); len(text) == 1 && index >= 0 && index < len(options) {
			return index, ""
		}
		return -1, fmt.Sprintf("%q is not one of A–%s", text, Letter(len(options)-1))
	case asLabel:
		among = labels
	}
	same := func(other string) bool { return strings.TrimSpace(other) == text }
	if index = slices.IndexFunc(among, same); index < 0 || len(among) != len(options) {
		return -1, fmt.Sprintf("%q is none of the %d %ss", text, len(among), strings.Replace(string(is), "text", "option", 1))
	}
	if slices.ContainsFunc(among[index+1:], same) {
		return -1, fmt.Sprintf("%q is two of the options", text)
	}
	return index, ""
}

// A trial is a reading of a column in all rows.
type trial struct {
	reading Reading
	golds   []int // by row; -1 where the reading does not fit
	whyNot  []string
	fits    int
}

func try(rows []*row, column string, ways []Reading) (trials []trial) {
	for _, is := range ways {
		t := trial{is, make([]int, len(rows)), make([]string, len(rows)), 0}
		for i, r := range rows {
			if t.golds[i], t.whyNot[i] = is.gold(r.Cells[column], r.question.Options, r.labels); t.whyNot[i] == "" {
				t.fits++
			}
		}
		trials = append(trials, t)
	}
	return trials
}

// differences are the rows for which two trials name different options.
func (t trial) differences(other trial) (rows []int) {
	for i, gold := range t.golds {
		if gold != other.golds[i] {
			rows = append(rows, i)
		}
	}
	return rows
}

// settle finds how the answer column is read, and gives each row its gold. The reading that fits every row is taken;
// where several do, and name different options, the one that the index column agrees with, or like, that of the set's
// other split. A reading that fits most rows makes the others bad.
func (m *Mapping) settle(all []*row, like Reading) (note string, err error) {
	column, ways := m.of("answer"), readings
	for _, r := range all {
		value := r.Cells[column]
		_, isText := table.Text(value)
		r.failIf(!isText || table.Blank(value), "%s is %s, want a letter, an index or an option's text", column,
			table.Kind(value))
	}
	rows := good(all)
	if len(rows) == 0 {
		return "", nil
	}
	if m.of("labels") != "" {
		ways = []Reading{asLabel}
	} else if m.reading != "" {
		ways = []Reading{m.reading}
	} else if slices.Contains(m.columns["options"], column) {
		ways = []Reading{AsText}
	}
	trials, witnesses := try(rows, column, ways), []trial{}
	if index := m.of("index"); index != "" && index != column {
		witnesses = try(rows, index, readings)
	}
	best := slices.MaxFunc(trials, func(a, b trial) int { return a.fits - b.fits })
	fitting := slices.DeleteFunc(slices.Clone(trials), func(t trial) bool { return t.fits < best.fits })
	if len(ways) > 1 && best.fits < len(all) && len(rows) == len(all) && (len(fitting) > 1 || 2*best.fits <= len(rows)) {
		var each []string
		for _, t := range trials {
			i := slices.Index(t.golds, -1)
			each = append(each, fmt.Sprintf("%s fits %d (not %s: %s)", t.reading, t.fits, rows[i].at(), t.whyNot[i]))
		}
		return "", fmt.Errorf("no reading of column %s fits all %d rows: %s; correct the rows, or say which column it is, "+
			"and how it is read: %s", column, len(rows), strings.Join(each, ", "), setting.Map.As("answer=COLUMN:letter"))
	}
	confirmed := func(t trial) bool {
		return t.reading == like || slices.ContainsFunc(witnesses, func(w trial) bool { return len(t.differences(w)) == 0 })
	}
	if slices.ContainsFunc(fitting, confirmed) {
		fitting = slices.DeleteFunc(fitting, func(t trial) bool { return !confirmed(t) })
	}
	best = fitting[0]
	for _, other := range fitting {
		if differ := best.differences(other); len(differ) > 0 {
			first := rows[differ[0]]
			say := setting.Map.As(Mapping{columns: map[string][]string{"answer": {column}}, reading: best.reading}.String())
			return "", fmt.Errorf("column %s can be read as %s and as %s, which differ (first in %s: %q): say %s or …:%[3]s",
				column, best.reading, other.reading, first.at(), first.text(column), say)
		}
	}
	m.reading = best.reading
	for i, r := range rows {
		empty := ""
		if r.empty > 0 {
			empty = fmt.Sprintf(" (%s at the end left out)", english.Plural(r.empty, "empty option", ""))
		}
		r.failIf(best.golds[i] < 0, "%s %s%s", column, best.whyNot[i], empty)
		if best.golds[i] >= 0 {
			r.question.Answer, r.question.AnswerIndex = Letter(best.golds[i]), best.golds[i]
		}
	}
	if len(witnesses) == 0 {
		return "", nil
	}
	return m.compare(rows, best, slices.MinFunc(witnesses, func(a, b trial) int {
		return len(best.differences(a)) - len(best.differences(b))
	}))
}

// compare refuses answers that the index column contradicts. MMLU-Pro has one such question, where the answer decides.
func (m *Mapping) compare(rows []*row, answers, index trial) (note string, err error) {
	var contradicting, published []string
	column, other := m.of("answer"), m.of("index")
	for _, i := range answers.differences(index) {
		r := rows[i]
		if q := &r.question; r.Bad != "" || table.Blank(r.Cells[other]) {
			continue
		} else if index.golds[i] >= 0 && task.IsPublished(q.ID, q.Text, q.Options) {
			q.AnswerIndex = index.golds[i]
			published = append(published, fmt.Sprintf("question %d: %s %s, %s %d disagree: %[2]s decides", q.ID, column,
				q.Answer, other, q.AnswerIndex))
		} else {
			contradicting = append(contradicting, r.at())
		}
	}
	if len(contradicting) > 0 {
		return "", fmt.Errorf("columns %s and %s name different options in %d of %d rows (%s): correct them, or take one "+
			"column alone: %s", column, other, len(contradicting), len(rows), firstOf(contradicting),
			setting.Map.As("answer="+column))
	}
	return firstOf(published), nil
}

// A BadRow is a row that cannot be a question.
type BadRow struct {
	File   string `json:"file"`
	Row    int    `json:"row"` // 1-based: a row of a parquet file, else a line
	Reason string `json:"reason"`
}

func (b BadRow) String() string { return fmt.Sprintf("%s:%d: %s", b.File, b.Row, b.Reason) }

// BadRowsError refuses a set because of its rows.
type BadRowsError struct{ Rows []BadRow }

func (e *BadRowsError) Error() string {
	var rows []string
	for _, bad := range e.Rows {
		rows = append(rows, bad.String())
	}
	return fmt.Sprintf("%s: %s; mend the file: `proctor data check` lists them", english.Plural(len(rows), "bad row", ""),
		firstOf(rows))
}

// firstOf names rows, as many as a person mends at once: hundreds would hide the remedy.
func firstOf(rows []string) string {
	const shown = 20
	if more := len(rows) - shown; more > 0 {
		rows = append(slices.Clone(rows[:shown]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(rows, "; ")
}
