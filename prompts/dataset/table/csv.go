package table

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
)

// Separators are the names of what can stand between the fields of a CSV file.
var Separators = map[string]rune{"comma": ',', "semicolon": ';', "tab": '\t', "pipe": '|'}

func openCSV(data []byte, o Options) (*Table, error) {
	name, err := separator(data, o)
	if err != nil {
		return nil, err
	}
	read := func() *csv.Reader {
		reader := csv.NewReader(bytes.NewReader(data))
		reader.Comma = Separators[name]
		return reader
	}
	header, err := read().Read()
	if err != nil {
		return nil, csvError(err)
	}
	t := &Table{Format: "CSV, separated by " + name + "s"}
	seen := map[string]bool{}
	for i, column := range header {
		column = strings.TrimSpace(column)
		if o.NoHeader || column == "" {
			column = strconv.Itoa(i + 1)
		}
		if seen[column] {
			return nil, fmt.Errorf("line 1 names the column %q twice; rename one of them", column)
		}
		seen[column] = true
		t.Columns = append(t.Columns, column)
	}
	t.rows = func(_ []string, each func(Row) bool) error { return readCSV(read(), t.Columns, !o.NoHeader, each) }
	return t, nil
}

func readCSV(reader *csv.Reader, columns []string, header bool, each func(Row) bool) error {
	for number := 0; ; {
		fields, err := reader.Read()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && !errors.Is(err, csv.ErrFieldCount):
			return csvError(err)
		case header:
			header = false
			continue
		}
		number++
		line, _ := reader.FieldPos(0)
		r := Row{Number: number, Line: line, Cells: make(map[string]any, len(columns))}
		if len(fields) != len(columns) {
			r.Bad = fmt.Sprintf("%d fields where the first line has %d; a field with a separator or a line break in it goes in quotes",
				len(fields), len(columns))
		}
		for i, field := range fields[:min(len(fields), len(columns))] {
			r.Cells[columns[i]] = field
		}
		if !each(r) {
			return nil
		}
	}
}

// separator finds what stands between fields: what was said, a tab where the file is called so, else what divides the first
// line into most fields.
func separator(data []byte, o Options) (string, error) {
	if strings.EqualFold(filepath.Ext(o.Name), ".tsv") && o.Separator == 0 {
		return "tab", nil
	}
	best, most, tied := "", 1, ""
	for _, name := range []string{"comma", "semicolon", "tab", "pipe"} {
		if o.Separator == Separators[name] {
			return name, nil
		}
		reader := csv.NewReader(bytes.NewReader(data))
		reader.Comma, reader.LazyQuotes = Separators[name], true
		fields, _ := reader.Read()
		switch n := len(fields); {
		case n > most:
			best, most, tied = name, n, ""
		case n == most && n > 1:
			tied = name
		}
	}
	switch {
	case best == "":
		return "", errors.New("neither a parquet file (it would begin with PAR1) nor JSON ([ or {) nor CSV " +
			"(whose first line names columns, with commas, semicolons, tabs or | between them)")
	case tied != "":
		return "", fmt.Errorf("the first line has as many fields with %ss as with %ss; say which: separator=%s", best, tied, best)
	}
	return best, nil
}

// csvError names the place of what is wrong with the quotes.
func csvError(err error) error {
	var at *csv.ParseError
	if !errors.As(err, &at) {
		return err
	}
	remedy := "a quote inside a quoted field is written twice"
	if errors.Is(at.Err, csv.ErrBareQuote) {
		remedy = "a field with a quote in it goes in quotes, and that quote is written twice"
	}
	return fmt.Errorf("line %d, column %d: %w; %s (the field begins in line %d)", at.Line, at.Column, at.Err, remedy, at.StartLine)
}
