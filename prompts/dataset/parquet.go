package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
)

// parquetMagic begins and ends every parquet file.
const parquetMagic = "PAR1"

func isParquet(data []byte) bool { return bytes.HasPrefix(data, []byte(parquetMagic)) }

// readParquet calls each for every row. Columns are found by name, lists whatever their inner fields are called
// (writers disagree: list.element, list.item, bag.array).
func readParquet(data []byte, each func(row)) (err error) {
	// The library answers some damaged files with a panic.
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("damaged parquet file: %v", p)
		}
	}()
	if err := checkFooter(data); err != nil {
		return fmt.Errorf("not a readable parquet file: %w", err)
	}
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)), parquet.SkipBloomFilters(true))
	if err != nil {
		return fmt.Errorf("not a readable parquet file: %w", err)
	}
	cells, err := cellsOf(file.Root())
	if err != nil {
		return err
	}
	number := 0
	for _, group := range file.RowGroups() {
		if err := readGroup(group, cells, &number, each); err != nil {
			return err
		}
	}
	if int64(number) != file.NumRows() {
		return fmt.Errorf("damaged parquet file: %d rows of the %d it should have", number, file.NumRows())
	}
	return nil
}

// checkFooter looks at a file's last eight bytes, the footer's length and the magic. The library would set memory
// aside for whatever length they say.
func checkFooter(data []byte) error {
	const frame = 4 + 8 // the magic in front, length and magic behind
	if len(data) < frame || !bytes.HasSuffix(data, []byte(parquetMagic)) {
		return fmt.Errorf("it does not end in %s; was it cut off?", parquetMagic)
	}
	footer := binary.LittleEndian.Uint32(data[len(data)-8:])
	if int64(footer) > int64(len(data)-frame) {
		return fmt.Errorf("its footer claims %d bytes of a file of %d", footer, len(data))
	}
	return nil
}

// readGroup reads one row group; number is that of the last row read.
func readGroup(group parquet.RowGroup, cells map[int]cell, number *int, each func(row)) error {
	rows := group.Rows()
	defer rows.Close()
	buffer := make([]parquet.Row, 64)
	for {
		n, err := rows.ReadRows(buffer)
		for _, values := range buffer[:n] {
			*number++
			r := row{number: *number}
			for _, v := range values {
				if c, wanted := cells[v.Column()]; wanted {
					c.put(&r, v)
				}
			}
			each(r)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("parquet row %d: %w", *number+1, err)
		}
	}
}

// A cell says how one leaf column's values go into a row.
type cell struct {
	name string
	kind parquet.Kind // ByteArray or Int64, which stands for Int32 too
	list bool
	set  func(*row, parquet.Value)
	leaf *parquet.Column
}

func (c cell) put(r *row, v parquet.Value) {
	if !v.IsNull() {
		c.set(r, v)
		return
	}
	// An absent list is null at a lower level than an absent element, which would shift the letters after it.
	if c.list && c.leaf.Optional() && v.DefinitionLevel() == c.leaf.MaxDefinitionLevel()-1 {
		r.bad = fmt.Sprintf("an element of %s is null", c.name)
	}
}

// The columns that are read. The first of two names that mean the same wins where a file has both.
var schema = []cell{
	{name: "question_id", kind: parquet.Int64, set: func(r *row, v parquet.Value) { r.QuestionID = integer(v) }},
	{name: "question", kind: parquet.ByteArray, set: func(r *row, v parquet.Value) { r.Question = text(v) }},
	{name: "options", kind: parquet.ByteArray, list: true, set: addOption},
	{name: "choices", kind: parquet.ByteArray, list: true, set: addOption},
	{name: "answer", kind: parquet.ByteArray, set: func(r *row, v parquet.Value) { letter := text(v); r.Answer = &letter }},
	{name: "answer_index", kind: parquet.Int64, set: func(r *row, v parquet.Value) { r.AnswerIndex = integer(v) }},
	{name: "cot_content", kind: parquet.ByteArray, set: func(r *row, v parquet.Value) { r.CotContent = text(v) }},
	{name: "category", kind: parquet.ByteArray, set: setSubject},
	{name: "subject", kind: parquet.ByteArray, set: setSubject},
	{name: "src", kind: parquet.ByteArray, set: func(r *row, v parquet.Value) { r.Src = text(v) }},
}

var synonyms = map[string]string{"choices": "options", "subject": "category"}

// cellsOf maps the file's leaf columns to cells, or says which column is missing or of the wrong type.
func cellsOf(root *parquet.Column) (map[int]cell, error) {
	cells := map[int]cell{}
	var found []string
	for _, c := range schema {
		column := root.Column(c.name)
		if column == nil || slices.Contains(found, synonyms[c.name]) {
			continue
		}
		for !column.Leaf() && len(column.Columns()) == 1 {
			column = column.Columns()[0]
		}
		if err := c.fits(column); err != nil {
			return nil, err
		}
		c.leaf = column
		cells[column.Index()] = c
		found = append(found, c.name)
	}
	for _, either := range [][]string{{"question"}, {"options", "choices"}, {"answer", "answer_index"}} {
		if !slices.ContainsFunc(either, func(name string) bool { return slices.Contains(found, name) }) {
			var have []string
			for _, column := range root.Columns() {
				have = append(have, column.Name())
			}
			return nil, fmt.Errorf("parquet file has no column %q (it has %q)", either[0], have)
		}
	}
	return cells, nil
}

func (c cell) fits(column *parquet.Column) error {
	if column.Leaf() && c.list == (column.MaxRepetitionLevel() == 1) {
		kind := column.Type().Kind()
		if kind == c.kind || kind == parquet.Int32 && c.kind == parquet.Int64 {
			return nil
		}
	}
	wanted := "a column of strings"
	switch {
	case c.list:
		wanted = "a list of strings"
	case c.kind == parquet.Int64:
		wanted = "a column of integers"
	}
	return fmt.Errorf("parquet column %q is not %s", c.name, wanted)
}

func addOption(r *row, v parquet.Value)  { r.Options = append(r.Options, text(v)) }
func setSubject(r *row, v parquet.Value) { r.Category = text(v) }

// text copies: the value's bytes belong to the reader's page.
func text(v parquet.Value) string { return string(v.ByteArray()) }

func integer(v parquet.Value) *int64 {
	n := v.Int64()
	if v.Kind() == parquet.Int32 {
		n = int64(v.Int32())
	}
	return &n
}
