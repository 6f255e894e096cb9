package table

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// separators are what can stand between the fields of a CSV file.
var separators = []struct {
	rune rune
	name string
}{{',', "commas"}, {';', "semicolons"}, {'\t', "tabs"}}

// readCSV reads fields with what divides the first line into most of them; a .tsv file has tabs.
func readCSV(name string, data []byte) (*Table, error) {
	var header []string
	var best *csv.Reader
	var failed error
	separated, tied := "", ""
	for _, separator := range separators {
		reader := csv.NewReader(bytes.NewReader(data))
		reader.Comma = separator.rune
		fields, err := reader.Read()
		if strings.EqualFold(filepath.Ext(name), ".tsv") && separator.rune != '\t' || err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		if len(fields) > len(header) {
			header, best, separated, tied = fields, reader, separator.name, ""
		} else if len(fields) == len(header) {
			tied = separator.name
		}
	}
	if len(header) < 2 && failed != nil {
		return nil, csvError(failed)
	}
	if len(header) < 2 {
		return nil, errors.New("neither a parquet file (it would begin with PAR1) nor JSON ([ or {) nor CSV " +
			"(whose first line names columns, with commas, semicolons or tabs between them)")
	}
	if tied != "" {
		return nil, fmt.Errorf("the first line has as many fields with %s as with %s: put names that have either into quotes",
			separated, tied)
	}
	for i, column := range header {
		header[i] = cmp.Or(strings.TrimSpace(column), strconv.Itoa(i+1))
		if slices.Contains(header[:i], header[i]) {
			return nil, fmt.Errorf("line 1 names the column %q twice; rename one of them", header[i])
		}
	}
	t := &Table{Format: "CSV, separated by " + separated, Columns: header}
	for {
		fields, err := best.Read()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil && !errors.Is(err, csv.ErrFieldCount) {
			return nil, csvError(err)
		}
		line, _ := best.FieldPos(0)
		r := Row{Number: len(t.Rows) + 1, Line: line, Cells: map[string]any{}}
		if len(fields) != len(header) {
			r.Bad = fmt.Sprintf("%d fields where the first line has %d; a field with a separator or a line break in it "+
				"goes in quotes", len(fields), len(header))
		}
		for i, field := range fields[:min(len(fields), len(header))] {
			r.Cells[header[i]] = field
		}
		t.Rows = append(t.Rows, r)
	}
}

// csvError names the place of what is wrong with the quotes.
func csvError(err error) error {
	at, ok := errors.AsType[*csv.ParseError](err)
	if !ok {
		return err
	}
	return fmt.Errorf("line %d, column %d: %w; a field with a quote in it goes in quotes, and that quote is written "+
		"twice (the field begins in line %d)", at.Line, at.Column, at.Err, at.StartLine)
}
