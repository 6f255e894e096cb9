package bench

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"proctor/runner/stats"
)

// array writes rows as one JSON array.
type array[R any] struct {
	w     io.Writer
	begun bool
}

func (a *array[R]) Print(row R) error {
	text, err := json.MarshalIndent(row, "  ", "  ")
	if err != nil {
		return err
	}
	before := "[\n  "
	if a.begun {
		before = ",\n  "
	}
	a.begun = true
	_, err = fmt.Fprintf(a.w, "%s%s", before, text)
	return err
}

func (a *array[R]) Close() error {
	end := "\n]\n"
	if !a.begun {
		end = "[]\n"
	}
	_, err := io.WriteString(a.w, end)
	return err
}

// lines writes a JSON object a line.
type lines[R any] struct{ w io.Writer }

func (l lines[R]) Print(row R) error { return json.NewEncoder(l.w).Encode(row) }

func (l lines[R]) Close() error { return nil }

// sheet writes CSV under the JSON keys; lists have no place in it.
type sheet[R any] struct {
	w     io.Writer
	begun bool
}

func (s *sheet[R]) Print(row R) error {
	out := csv.NewWriter(s.w)
	keys, cells := fields(reflect.ValueOf(row))
	if !s.begun {
		s.begun = true
		out.Write(keys) // errors come with Flush
	}
	out.Write(cells)
	out.Flush()
	return out.Error()
}

func (s *sheet[R]) Close() error { return nil }

// fields lists a row's keys and values as llama-bench's CSV has them: numbers with six decimals, 0 and 1 for bools.
func fields(row reflect.Value) (keys, cells []string) {
	for i := range row.NumField() {
		field, value := row.Type().Field(i), row.Field(i)
		if field.Anonymous {
			k, c := fields(value)
			keys, cells = append(keys, k...), append(cells, c...)
			continue
		}
		if value.Kind() == reflect.Slice {
			continue
		}
		key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		keys, cells = append(keys, key), append(cells, text(value.Interface()))
	}
	return keys, cells
}

func text(value any) string {
	switch v := value.(type) {
	case bool:
		return flag(v)
	case float64:
		return strconv.FormatFloat(v, 'f', 6, 64)
	case stats.Number:
		if x, defined := v.Get(); defined {
			return text(x)
		}
		return ""
	}
	return fmt.Sprint(value)
}
