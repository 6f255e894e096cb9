package bench

import (
	"fmt"
	"io"
	"reflect"
	"strings"
)

// writeSQL writes a row as llama-bench does: its table, before the first one, and a line that inserts it. What is undefined is
// NULL.
func writeSQL(w io.Writer, row Row, first bool) {
	table := row.table()
	keys, all := fields(reflect.ValueOf(row))
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
