package html

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"fmt"
)

// DataType is the type of the elements that hold data: no script of any language, so that a browser leaves it alone.
const DataType = "application/x-deflated"

// A Data is what a document's script finds under an id: JSON, deflated (RFC 1951), in base64.
type Data struct {
	ID       string
	deflated []byte
}

// DataOf is a value's JSON under an id.
func DataOf(id string, value any) (Data, error) {
	var packed bytes.Buffer
	deflate, err := flate.NewWriter(&packed, flate.DefaultCompression)
	if err != nil {
		return Data{}, err
	}
	encoder := json.NewEncoder(deflate)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return Data{}, fmt.Errorf("data %s: %w", id, err)
	}
	if err := deflate.Close(); err != nil {
		return Data{}, err
	}
	return Data{id, packed.Bytes()}, nil
}

// Base64 is the data as a document has it.
func (d Data) Base64() string { return base64.StdEncoding.EncodeToString(d.deflated) }
