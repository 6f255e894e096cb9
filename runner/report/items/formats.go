package items

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"proctor/runner/mark/format"
	"proctor/runner/report/page"
)

// Formats are the formats of a list, the default first. All write one item at a time.
var Formats = page.Formats[*List]{
	{Name: "text", Ext: ".txt", Write: writeText},
	{Name: "jsonl", Ext: ".jsonl", Write: func(w io.Writer, l *List) error { return page.JSONLines(w, l.Rows()) }},
	{Name: "csv", Ext: ".csv", Write: writeCSV},
}

// columns are a row's fields in CSV, and texts the additional ones of a list with texts.
var (
	columns = strings.Fields(`run task id question_id subject variant repeat options expected expected_text parsed_answer parsed_text correct
		tag cause rule_set rule answer_start answer_end finish prompt_tokens output_tokens thinking_tokens seconds attempts server error`)
	texts = []string{"prompt", "completion"}
)

// A line is a row with its time for people.
type line struct {
	*Row
	Seconds string `json:"seconds"`
}

// writeCSV writes a header and a line per item.
func writeCSV(w io.Writer, l *List) error {
	all := columns
	if l.text {
		all = append(slices.Clip(all), texts...)
	}
	return page.WriteColumns(w, all, func(yield func(line, error) bool) {
		for row, err := range l.Rows() {
			if err != nil {
				yield(line{}, err)
				return
			}
			if !yield(line{row, seconds(row)}, nil) {
				return
			}
		}
	})
}

// some formats a number, 0 as an empty text.
func some(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func seconds(r *Row) string {
	if !r.Seconds.Defined() {
		return ""
	}
	return format.Short(r.Seconds)
}

// writeText writes a line per item, with its texts below it if the list has them.
func writeText(w io.Writer, l *List) error {
	out := bufio.NewWriter(w)
	t := l.widths()
	t.line(out, "id", "subject", "gold", "answer", "outcome", "rule", "tokens", "seconds")
	for row, err := range l.Rows() {
		if err != nil {
			return err
		}
		if row.Run != "" && row.Run != t.run {
			t.run = row.Run
			fmt.Fprintf(out, "%s\n", page.Visible(row.Run))
		}
		t.line(out, row.ID, row.Subject, option(row.Expected, row.ExpectedText), option(cmp.Or(row.ParsedAnswer, "–"), row.ParsedText),
			row.outcome(), row.Rule, some(row.OutputTokens), seconds(row))
		if l.text {
			block(out, "prompt", *row.Prompt)
			block(out, "completion", *row.Completion)
		}
	}
	fmt.Fprintf(out, "%s\n", format.Several(l.Len(), "item"))
	return out.Flush()
}

// outcome is "right", or the tag with its cause.
func (r *Row) outcome() string { return outcome(r.Correct, r.Tag, r.Cause) }

func outcome(right bool, tag, cause string) string {
	if right {
		return "right"
	}
	return strings.TrimSpace(tag + " " + cause)
}

// A table has columns whose widths are known before its first line.
type table struct {
	id, subject int
	run         string // of the last line
}

func (l *List) widths() *table {
	t := &table{id: len("id"), subject: len("subject")}
	for _, r := range l.runs {
		for _, it := range r.taken {
			t.id, t.subject = max(t.id, utf8.RuneCountInString(it.ID)), max(t.subject, utf8.RuneCountInString(it.Subject))
		}
	}
	return t
}

const optionWidth = 24

func (t *table) line(w io.Writer, id, subject, gold, answer, outcome, rule, tokens, seconds string) {
	line := fmt.Sprintf("%-*s  %-*s  %-*s  %-*s  %-22s  %-16s  %6s  %7s", t.id, id, t.subject, subject, optionWidth, gold, optionWidth,
		answer, outcome, rule, tokens, seconds)
	fmt.Fprintln(w, strings.TrimRight(page.Visible(line), " "))
}

// option is a letter and as much of the option's text as fits its column.
func option(letter, text string) string {
	whole := wholeOption(letter, page.Visible(text))
	if runes := []rune(whole); len(runes) > optionWidth {
		return string(runes[:optionWidth-1]) + "…"
	}
	return whole
}

// wholeOption is a letter and the option's text, on one line.
func wholeOption(letter, text string) string {
	return strings.TrimSpace(letter + " " + strings.Join(strings.Fields(text), " "))
}

func block(w io.Writer, name, text string) {
	fmt.Fprintf(w, "  %s:\n", name)
	for line := range strings.SplitSeq(strings.Trim(page.Visible(text), "\n"), "\n") {
		fmt.Fprintln(w, strings.TrimRight("    "+line, " "))
	}
}
