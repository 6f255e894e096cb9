package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"proctor/runner/mark/stats"
	"proctor/runner/report/page"
)

// A Printer writes rows one by one, as they are measured.
type Printer struct {
	format  string
	w       io.Writer
	table   Table
	printed int  // rows
	scatter bool // of one of them, the repetitions do
}

// A Table is what a table's head and foot depend on, beside what kind of rows it has.
type Table struct {
	Build  Build
	Models int      // that rows are of
	Show   []string // keys of the settings that vary or are not the default
	Ways   []string // names of the ways that are compared
}

// A Row is a struct whose fields have JSON keys: a [Test], a [Batched], an [Eval] or a [Comparison].
type Row interface {
	columns(Table) []Column
	table() string // of SQL
}

// A Column of a table: its name, its width (below zero where it is set to the left) and what a row has in it.
type Column struct {
	Name  string
	Width int
	Cell  func(values) string
}

// values are a row's, by their JSON keys: an int for a bool, and nil for an undefined number.
type values map[string]any

// Formats are the names of those that rows are written in, the default first.
var Formats = []string{"md", "json", "jsonl", "csv", "sql"}

// columns are those of a kind of rows, after the model and the settings as llama-bench has them: it always shows one, by
// what the engine computes on.
func (t Table) columns(own ...Column) []Column {
	device := "n_gpu_layers"
	if strings.Contains(t.Build.Backends, "CPU") || strings.Contains(t.Build.Backends, "BLAS") {
		device = "n_threads"
	}
	return slices.Concat(modelColumns, settingsColumns(append(t.Show, device)), own)
}

// NewPrinter returns the printer of a format. All but the table write each of a row's fields under its JSON key.
func NewPrinter(format string, w io.Writer, table Table) (*Printer, error) {
	if format == "markdown" {
		format = "md"
	}
	if !slices.Contains(Formats, format) {
		return nil, fmt.Errorf("there is no format %q; there are %s", format, strings.Join(Formats, ", "))
	}
	return &Printer{format: format, w: w, table: table}, nil
}

// Print writes a row.
func (p *Printer) Print(row Row) error {
	var out bytes.Buffer
	var err error
	keys, all := fields(reflect.ValueOf(row))
	first := p.printed == 0
	p.printed++
	switch p.format {
	case "md":
		p.markdown(&out, row.columns(p.table), all, first)
	case "json":
		before := ",\n  "
		if first {
			before = "[\n  "
		}
		out.WriteString(before)
		var text []byte
		text, err = json.MarshalIndent(row, "  ", "  ")
		out.Write(text)
	case "jsonl":
		err = json.NewEncoder(&out).Encode(row)
	case "csv":
		sheet := page.NewCSV(&out) // which keeps its errors for Flush
		if first {
			sheet.Write(keys)
		}
		cells := make([]string, len(keys))
		for i, key := range keys {
			cells[i] = text(all[key])
		}
		sheet.Write(cells)
		sheet.Flush()
		err = sheet.Error()
	case "sql":
		writeSQL(&out, row.table(), keys, all, first)
	}
	if err != nil {
		return err
	}
	_, err = p.w.Write(out.Bytes())
	return err
}

// Close writes what comes after the last row.
func (p *Printer) Close() error {
	end := ""
	switch {
	case p.format == "json" && p.printed == 0:
		end = "[]\n"
	case p.format == "json":
		end = "\n]\n"
	case p.format == "md" && p.printed > 0:
		end = fmt.Sprintf("\nbuild: %s (%d)\n", p.table.Build.Commit, p.table.Build.Number)
		if p.scatter {
			end = fmt.Sprintf("\n! the repetitions differ by more than ± %.0f %%: something else was computing, or they are short; "+
				"measure again on an idle machine, with more of them\n", 100*scattering) + end
		}
	}
	_, err := io.WriteString(p.w, end)
	return err
}

// markdown writes a line of llama-bench's table, the first one below the head.
func (p *Printer) markdown(out *bytes.Buffer, columns []Column, all values, first bool) {
	line := func(cell func(Column) string) {
		out.WriteString("|")
		for _, c := range columns {
			fmt.Fprintf(out, " %*s |", c.Width, strings.Map(inCell, cell(c)))
		}
		out.WriteString("\n")
	}
	if first {
		line(func(c Column) string { return c.Name })
		line(func(c Column) string { // the colon sets what is below to the right
			if c.Width < 0 {
				return strings.Repeat("-", -c.Width)
			}
			return strings.Repeat("-", c.Width-1) + ":"
		})
	}
	line(func(c Column) string {
		text := c.Cell(all)
		p.scatter = p.scatter || strings.HasSuffix(text, scattered)
		return text
	})
}

// inCell keeps a model's description from breaking the table.
func inCell(r rune) rune {
	if r < ' ' || r == '|' {
		return ' '
	}
	return r
}

// fields lists a row's keys in their order, without those of lists, which have no place in a cell.
func fields(row reflect.Value) (keys []string, all values) {
	all = values{}
	for i := range row.NumField() {
		field, value := row.Type().Field(i), row.Field(i)
		if field.Anonymous {
			within, embedded := fields(value)
			keys = append(keys, within...)
			maps.Copy(all, embedded)
			continue
		}
		key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		all[key] = value.Interface()
		switch v := all[key].(type) {
		case bool:
			all[key] = 0
			if v {
				all[key] = 1
			}
		case stats.Number:
			all[key] = nil
			if x, defined := v.Get(); defined {
				all[key] = x
			}
		}
		if value.Kind() != reflect.Slice {
			keys = append(keys, key)
		}
	}
	return keys, all
}

// text is a value as llama-bench's CSV has it: numbers with six decimals.
func text(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'f', 6, 64)
	}
	return fmt.Sprint(value)
}

// shows is a cell with the values of some keys.
func shows(format string, keys ...string) func(values) string {
	return func(v values) string {
		all := make([]any, len(keys))
		for i, key := range keys {
			all[i] = v[key]
		}
		return fmt.Sprintf(format, all...)
	}
}

// writeSQL writes a row as llama-bench does: its table, before the first one, and a line that inserts it. What is undefined is
// NULL.
func writeSQL(w io.Writer, table string, keys []string, all values, first bool) {
	if first {
		columns := make([]string, len(keys))
		for i, key := range keys {
			columns[i] = "  " + key + " " + sqlType(all[key])
		}
		fmt.Fprintf(w, "CREATE TABLE IF NOT EXISTS %s (\n%s\n);\n\n", table, strings.Join(columns, ",\n"))
	}
	cells := make([]string, len(keys))
	for i, key := range keys {
		cells[i] = "NULL"
		if all[key] != nil {
			cells[i] = "'" + strings.ReplaceAll(text(all[key]), "'", "''") + "'"
		}
	}
	fmt.Fprintf(w, "INSERT INTO %s (%s) VALUES (%s);\n", table, strings.Join(keys, ", "), strings.Join(cells, ", "))
}

// sqlType is the type of a column; what is undefined is a figure.
func sqlType(value any) string {
	switch value.(type) {
	case int, int64:
		return "INTEGER"
	case float64, nil:
		return "REAL"
	}
	return "TEXT"
}
