package table

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// parquetMagic begins and ends every parquet file.
const parquetMagic = "PAR1"

func openParquet(data []byte) (t *Table, err error) {
	defer damaged(&err)
	if err := checkFooter(data); err != nil {
		return nil, fmt.Errorf("not a readable parquet file: %w", err)
	}
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("not a readable parquet file: %w", err)
	}
	leaves := leavesOf("", file.Root(), 0, 0)
	t = &Table{Format: "parquet"}
	for _, l := range leaves {
		t.Columns = append(t.Columns, l.name)
	}
	t.rows = func(columns []string, each func(Row) bool) error { return readParquet(file, leaves, columns, each) }
	return t, nil
}

// damaged makes an error of a panic, with which the library answers some damaged files.
func damaged(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("damaged parquet file: %v", p)
	}
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

// A leaf is a column with values.
type leaf struct {
	name   string // without the levels that lists have, whose names differ by the writer
	column *parquet.Column
	list   int // the definition level from which on a value is an element of the list; 0 for no list
	row    []any
}

// leavesOf lists the leaves of a column called name; level and list are the definition levels above it.
func leavesOf(name string, column *parquet.Column, level, list int) []leaf {
	for inner := column; inner != nil; inner = element(column) {
		column = inner
		if column.Optional() || column.Repeated() {
			level++
		}
		if column.Repeated() {
			list = level
		}
	}
	if column.Leaf() {
		return []leaf{{name: name, column: column, list: list}}
	}
	var leaves []leaf
	for _, inner := range column.Columns() {
		leaves = append(leaves, leavesOf(strings.TrimPrefix(name+"."+inner.Name(), "."), inner, level, list)...)
	}
	return leaves
}

// element returns the column inside a list, if the list or that column is repeated; nil for a column that is no list, or whose list levels lie
// above it.
func element(column *parquet.Column) *parquet.Column {
	inner := column.Columns()
	if len(inner) != 1 || column.Depth() == 0 {
		return nil
	}
	if inner[0].Repeated() || column.Repeated() {
		return inner[0]
	}
	return nil
}

func readParquet(file *parquet.File, leaves []leaf, columns []string, each func(Row) bool) (err error) {
	defer damaged(&err)
	wanted := make([]*leaf, len(leaves))
	for _, l := range leaves {
		if columns != nil && !slices.Contains(columns, l.name) {
			continue
		}
		if l.column.MaxRepetitionLevel() > 1 {
			if columns == nil {
				continue
			}
			return fmt.Errorf("column %q holds lists of lists", l.name)
		}
		wanted[l.column.Index()] = &l
	}
	number := 0
	for _, group := range file.RowGroups() {
		if more, err := readGroup(group, wanted, &number, each); err != nil || !more {
			return err
		}
	}
	if int64(number) != file.NumRows() {
		return fmt.Errorf("damaged parquet file: %d rows of the %d it should have", number, file.NumRows())
	}
	return nil
}

// readGroup reads one row group; number is the number of the last row read.
func readGroup(group parquet.RowGroup, wanted []*leaf, number *int, each func(Row) bool) (more bool, err error) {
	rows := group.Rows()
	defer rows.Close()
	buffer := make([]parquet.Row, 64)
	for {
		n, err := rows.ReadRows(buffer)
		for _, values := range buffer[:n] {
			*number++
			r := Row{Number: *number, Line: *number, Cells: make(map[string]any, len(wanted))}
			for _, v := range values {
				if l := wanted[v.Column()]; l != nil {
					l.add(v)
				}
			}
			for _, l := range wanted {
				if l != nil {
					l.put(r.Cells)
				}
			}
			if !each(r) {
				return false, nil
			}
		}
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		if err != nil {
			return false, fmt.Errorf("parquet row %d: %w", *number+1, err)
		}
	}
}

// add takes a value of the row that is read. An absent list is null at a lower level than an absent element, which stays one.
func (l *leaf) add(v parquet.Value) {
	if !v.IsNull() || v.DefinitionLevel() >= l.list {
		l.row = append(l.row, plain(v))
	}
}

// put gives a row the values that were read for it.
func (l *leaf) put(cells map[string]any) {
	switch {
	case l.list > 0 && len(l.row) > 0:
		cells[l.name] = slices.Clone(l.row)
	case l.list == 0 && len(l.row) == 1:
		cells[l.name] = l.row[0]
	}
	l.row = l.row[:0]
}

// plain copies a value: its bytes belong to the reader's page.
func plain(v parquet.Value) any {
	if v.IsNull() {
		return nil
	}
	switch v.Kind() {
	case parquet.Boolean:
		return v.Boolean()
	case parquet.Int32:
		return json.Number(strconv.FormatInt(int64(v.Int32()), 10))
	case parquet.Int64:
		return json.Number(strconv.FormatInt(v.Int64(), 10))
	case parquet.Float:
		return json.Number(strconv.FormatFloat(float64(v.Float()), 'f', -1, 32))
	case parquet.Double:
		return json.Number(strconv.FormatFloat(v.Double(), 'f', -1, 64))
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return string(v.ByteArray())
	}
	return v.String()
}
