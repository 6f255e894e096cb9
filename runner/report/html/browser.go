package html

import (
	"bytes"
	"cmp"
	"compress/flate"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

//go:embed assets/browser
var browser embed.FS

// modules are those that every browser has, each after those that it imports.
var modules = []string{"data.js", "dom.js", "text.js", "things.js", "list.js", "browser.js"}

// A Browser is a part of a document that lists things, with filters and words to search for, and shows one of them at a time.
type Browser struct {
	ID, Title string
	Thing     string // what one of them is called
	Notes     []string
	Files     embed.FS          // what these things have of their own, in a folder browser: a style sheet, and modules
	Style     string            // its name
	Modules   []string          // their names, each after those that it imports; the last one starts the browser
	Index     any               // what the browser knows of all things at once, in columns
	Preambles map[string]string // by subject, what all its prompts begin with
	Texts     []Data            // see [Chunks]
}

// Browse adds a browser, its data and its script to the document, which can have one.
func (d *Document) Browse(b Browser) error {
	preambles := map[string]string{} // an object, also where there is none
	maps.Copy(preambles, b.Preambles)
	for _, part := range []struct {
		id    string
		value any
	}{{"index", b.Index}, {"preambles", preambles}} {
		data, err := DataOf(part.id, part.value)
		if err != nil {
			return err
		}
		d.Data = append(d.Data, data)
	}
	d.Data = append(d.Data, b.Texts...)
	d.Body = append(d.Body, render("browser", b))
	d.Styles = append(d.Styles, asset(browser, "assets/browser/browser.css"), asset(b.Files, path.Join("browser", b.Style)))
	for _, name := range modules {
		d.Modules = append(d.Modules, asset(browser, path.Join("assets/browser", name)))
	}
	for _, name := range b.Modules {
		d.Modules = append(d.Modules, asset(b.Files, path.Join("browser", name)))
	}
	return nil
}

// asset is a file of the program's own.
func asset(files embed.FS, name string) string {
	content, err := files.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return string(content)
}

// PerChunk is how many things have their texts together in a chunk, which a browser unpacks whole.
const PerChunk = 64

// Chunks are the texts of things, made by of and deflated on all cores.
func Chunks[T any](things []T, of func(T) (any, error)) ([]Data, error) {
	parts := slices.Collect(slices.Chunk(things, PerChunk))
	chunks := make([]Data, len(parts))
	return chunks, OnAllCores(len(parts), func(i int) (err error) {
		all := make([]any, len(parts[i]))
		for k, thing := range parts[i] {
			if all[k], err = of(thing); err != nil {
				return err
			}
		}
		chunks[i], err = DataOf("texts-"+strconv.Itoa(i), all)
		return err
	})
}

// OnAllCores does something n times, at the same time as far as there are cores. The error is that of the first which has one.
func OnAllCores(n int, do func(i int) error) error {
	failed, workers := make([]error, n), runtime.GOMAXPROCS(0)
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			for i := worker; i < n; i += workers {
				failed[i] = do(i)
			}
		})
	}
	group.Wait()
	return cmp.Or(failed...)
}

// Names numbers the values of a column; the empty one is 0. The zero Names has that one alone.
type Names struct {
	all []string
	at  map[string]int
}

// Number is a name's.
func (n *Names) Number(name string) int {
	if n.at == nil {
		n.all, n.at = []string{""}, map[string]int{"": 0}
	}
	i, seen := n.at[name]
	if !seen {
		i = len(n.all)
		n.all, n.at[name] = append(n.all, name), i
	}
	return i
}

// All are the names in the order of their numbers.
func (n *Names) All() []string {
	n.Number("")
	return n.all
}

// Units is how long a text is in UTF-16, as browsers count.
func Units(text string) int {
	n := 0
	for _, r := range text {
		if r == utf8.RuneError {
			n++
			continue
		}
		n += utf16.RuneLen(r)
	}
	return n
}

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
