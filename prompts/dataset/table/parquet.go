package table

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

// parquetMagic begins and ends every parquet file.
const parquetMagic = "PAR1"

func readParquet(data []byte) (t *Table, err error) {
	defer func() { // the library answers some damaged files with a panic
		if p := recover(); p != nil {
			t, err = nil, fmt.Errorf("damaged parquet file: %v", p)
		}
	}()
	// The library would set memory aside for whatever length the footer claims to have, behind it and before the magic.
	const frame = 4 + 8
	if len(data) < frame || !bytes.HasSuffix(data, []byte(parquetMagic)) {
		return nil, fmt.Errorf("not a readable parquet file: it does not end in %s; was it cut off?", parquetMagic)
	}
	if footer := binary.LittleEndian.Uint32(data[len(data)-8:]); int64(footer) > int64(len(data)-frame) {
		return nil, fmt.Errorf("not a readable parquet file: its footer claims %d bytes of a file of %d", footer, len(data))
	}
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("not a readable parquet file: %w", err)
	}
	if file.NumRows() > int64(len(data)) { // each row has a text of its own
		return nil, fmt.Errorf("damaged parquet file: it claims %d rows in %d bytes", file.NumRows(), len(data))
	}
	t = &Table{Format: "parquet"}
	reader := parquet.NewGenericReader[any](file)
	defer reader.Close()
	for {
		rows := make([]any, 64)
		n, err := reader.Read(rows)
		for _, row := range rows[:n] {
			object, _ := plain(row).(map[string]any)
			t.add(len(t.Rows)+1, len(t.Rows)+1, object, "")
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("parquet row %d: %w", len(t.Rows)+1, err)
		}
		if n == 0 || err != nil {
			break
		}
	}
	if int64(len(t.Rows)) != file.NumRows() {
		return nil, fmt.Errorf("damaged parquet file: %d rows of the %d it should have", len(t.Rows), file.NumRows())
	}
	return t, nil
}

// plain is a value as JSON would have it.
func plain(value any) any {
	switch value := value.(type) {
	case nil, bool, string:
		return value
	case []byte:
		return string(value)
	case float32:
		return json.Number(strconv.FormatFloat(float64(value), 'f', -1, 32))
	case float64:
		return json.Number(strconv.FormatFloat(value, 'f', -1, 64))
	case int32, int64, uint32, uint64:
		return json.Number(fmt.Sprint(value))
	case []any:
		for i, element := range value {
			value[i] = plain(element)
		}
		return value
	case map[string]any:
		for key, inner := range value {
			value[key] = plain(inner)
		}
		return value
	}
	return fmt.Sprint(value)
}
