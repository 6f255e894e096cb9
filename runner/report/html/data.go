package html

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
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

func (d Data) write(out io.Writer) error {
	fmt.Fprintf(out, `<script type="%s" id="%s">`, DataType, html.EscapeString(d.ID))
	encoder := base64.NewEncoder(base64.StdEncoding, out)
	if _, err := encoder.Write(d.deflated); err != nil {
		return err
	}
	if err := encoder.Close(); err != nil {
		return err
	}
	_, err := io.WriteString(out, "</script>\n")
	return err
}
