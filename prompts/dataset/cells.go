package dataset

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"proctor/prompts/dataset/table"
)

// cells makes a set's row of a table's row. Its first error makes it a bad row.
type cells struct {
	from  table.Row
	to    row
	empty int // options at the end that say nothing and are left out
}

func cellsOf(r table.Row) cells {
	return cells{from: r, to: row{number: r.Number, line: r.Line, bad: r.Bad}}
}

func (c *cells) bad(format string, values ...any) {
	c.to.bad = cmp.Or(c.to.bad, fmt.Sprintf(format, values...))
}

// text is a column's text; empty where there is none.
func (c *cells) text(column string) string {
	if column == "" {
		return ""
	}
	text, ok := table.Text(c.from.At(column))
	if !ok {
		c.bad("%s is %s, want text", column, table.Kind(c.from.At(column)))
	}
	return text
}

// subject is the first of the columns that names one, without the spaces around it: "math " is no subject beside "math".
func (c *cells) subject(columns ...string) string {
	for _, column := range columns {
		if subject := strings.TrimSpace(c.text(column)); subject != "" {
			return subject
		}
	}
	return ""
}

// integer is a column's whole number; nil where there is none.
func (c *cells) integer(column string) *int64 {
	if column == "" || c.from.At(column) == nil {
		return nil
	}
	n, ok := table.Whole(c.from.At(column))
	if !ok {
		c.bad("%s is %s, want a whole number", column, table.Kind(c.from.At(column)))
	}
	return &n
}

// list is a column's list of texts; nil where there is none. A text may hold one, as JSON.
func (c *cells) list(column string) []string {
	if column == "" {
		return nil
	}
	value := c.from.At(column)
	if text, ok := value.(string); ok && strings.HasPrefix(strings.TrimSpace(text), "[") {
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		if decoder.Decode(&value) != nil {
			value = text
		}
	}
	elements, ok := value.([]any)
	if !ok && value != nil {
		c.bad("%s is %s, want a list of strings", column, table.Kind(value))
	}
	if elements == nil {
		return nil
	}
	texts := make([]string, len(elements))
	for i, element := range elements {
		if element == nil {
			c.bad("an element of %s is null", column)
		}
		if texts[i], ok = table.Text(element); !ok {
			c.bad("an element of %s is %s, want a string", column, table.Kind(element))
		}
	}
	return texts
}

// each are the options that stand in columns of their own.
func (c *cells) each(columns []string) []string {
	texts := make([]string, len(columns))
	for i, column := range columns {
		texts[i] = c.text(column)
	}
	return c.written(texts, func(i int) string { return columns[i] })
}

// listed are the options that stand in one column.
func (c *cells) listed(column string) []string {
	return c.written(c.list(column), func(i int) string { return "option " + strconv.Itoa(i+1) + " of " + column })
}

// written leaves out empty options at the end: files fill up their lists and columns with them. An empty
// option before others would keep its letter, so such a row is bad.
func (c *cells) written(options []string, name func(i int) string) []string {
	said := func(option string) bool { return strings.TrimSpace(option) != "" }
	n := len(options)
	for n > 0 && !said(options[n-1]) {
		n--
	}
	c.empty = max(c.empty, len(options)-n)
	if gap := slices.IndexFunc(options[:n], func(option string) bool { return !said(option) }); gap >= 0 {
		next := gap + slices.IndexFunc(options[gap:n], said)
		c.bad("%s is empty, and %s after it is not: write it, or take it out", name(gap), name(next))
	}
	return options[:n]
}

// badGold says why the answer names none of the options.
func (c *cells) badGold(format string, values ...any) {
	why := fmt.Sprintf(format, values...)
	if c.empty > 0 {
		why += " (" + Counted(c.empty, "empty option", "at the end left out") + ")"
	}
	c.bad("%s", why)
}

// rowOf makes a set's row of a table's row.
func rowOf(m Mapping, r table.Row) row {
	c := cellsOf(r)
	if r.Bad != "" {
		return c.to
	}
	c.to.text, c.to.category = c.text(m.Question), c.subject(m.Subject)
	c.to.cot, c.to.src = c.text(m.CoT), c.text(m.Src)
	if m.Correct != "" {
		c.arranged(m)
		return c.withID(m.ID)
	}
	c.to.options = c.optionsOf(m)
	if m.Flaw != "" && c.flawed(m) {
		return c.withID(m.ID)
	}
	if c.to.bad == "" && len(c.to.options) > 1 { // else the row says what is wrong with them
		var why string
		if c.to.gold, why = option(m.AnswerIs, r.At(m.Answer), c.to.options, c.labels(m.Labels)); why != "" {
			c.badGold("%s %s", m.Answer, why)
		}
	}
	return c.withID(m.ID)
}

func (c *cells) withID(column string) row {
	value := c.from.At(column)
	if _, whole := table.Whole(value); column != "" && value != nil && !whole {
		c.bad("%s is %s, and no whole number: leave id out, and src=%s keeps it", column, table.Kind(value), column)
	}
	c.to.id = c.integer(column)
	return c.to
}

func (c *cells) optionsOf(m Mapping) []string {
	if len(m.Options) == 1 {
		return c.listed(m.Options[0])
	}
	return c.each(m.Options)
}

// labels returns the file's labels of the options, without labels of options that were left out.
func (c *cells) labels(column string) []string {
	labels := c.list(column)
	if len(labels) == len(c.to.options)+c.empty {
		labels = labels[:len(c.to.options)]
	}
	return labels
}

// option is the index of the option that a value names, or why it names none.
func option(is Reading, value any, options, labels []string) (index int, why string) {
	text, ok := table.Text(value)
	switch text = strings.TrimSpace(text); {
	case !ok:
		return 0, "is " + table.Kind(value) + ", want " + string(is)
	case text == "":
		return 0, "is empty"
	}
	switch is {
	case AsIndex0, AsIndex1:
		first := 0
		if is == AsIndex1 {
			first = 1
		}
		n, ok := table.Whole(value)
		if index := int(n) - first; ok && n < 1e9 && index >= 0 && index < len(options) {
			return index, ""
		}
		return 0, fmt.Sprintf("%q is not an index of %d options from %d (%d–%d)", text, len(options), first, first, first+len(options)-1)
	case AsText:
		return only(text, options, "options")
	case AsLabel:
		if len(labels) != len(options) {
			return 0, fmt.Sprintf("%q is one of %d labels for %d options", text, len(labels), len(options))
		}
		return only(text, labels, "labels")
	}
	index = strings.Index(letters, strings.ToUpper(text))
	if len(text) != 1 || index < 0 || index >= len(options) {
		return 0, fmt.Sprintf("%q is not one of A–%s", text, Letter(min(len(options), MaxOptions)-1))
	}
	return index, ""
}

// only is where text stands among texts, if it does so once.
func only(text string, texts []string, what string) (index int, why string) {
	same := func(other string) bool { return strings.TrimSpace(other) == text }
	index = slices.IndexFunc(texts, same)
	if index < 0 {
		return 0, fmt.Sprintf("%q is none of the %s %q", text, what, texts)
	}
	if slices.ContainsFunc(texts[index+1:], same) {
		return 0, fmt.Sprintf("%q is two of the %s", text, what)
	}
	return index, ""
}

// arranged takes options that stand in a right and some wrong columns. A file has no order for them, and the right one can't
// always come first: they are ordered by the sha256 sum of the question, a zero byte and the option. So a question has the
// same order in every file, and its gold letter depends on nothing but texts.
func (c *cells) arranged(m Mapping) {
	correct := c.text(m.Correct)
	if strings.TrimSpace(correct) == "" {
		c.bad("%s is empty", m.Correct)
		return
	}
	c.to.options = append(c.each(m.Incorrect), correct)
	slices.SortStableFunc(c.to.options, func(a, b string) int {
		x, y := sha256.Sum256([]byte(c.to.text+"\x00"+a)), sha256.Sum256([]byte(c.to.text+"\x00"+b))
		return slices.Compare(x[:], y[:])
	})
	var why string
	if c.to.gold, why = only(strings.TrimSpace(correct), c.to.options, "options"); why != "" {
		c.bad("%s %s", m.Correct, why)
	}
}
