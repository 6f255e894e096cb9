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

	"proctor/runner/journal"
	"proctor/runner/mark/grade"
)

//go:embed assets/browser
var browser embed.FS

// modules are those that every browser has, each after those that it imports.
var modules = []string{"data.js", "dom.js", "text.js", "things.js", "list.js", "browser.js"}

// A Browser is a part of a document that lists items, with filters and words to search for, and shows one of them at a time.
type Browser[T any] struct {
	ID, Title string
	Notes     []string
	Files     embed.FS        // what these items have of their own, in a folder browser: a style sheet, and modules
	Style     string          // its name
	Modules   []string        // their names, each after those that it imports; the last one starts the browser
	Header    *journal.Header // of the run that was asked: its task, and what all prompts of a subject begin with
	Names     []string        // of what answered, or of what read the answers
	Items     []T
	Row       func(T) any          // what the browser knows of all items at once
	Texts     func(T) (any, error) // what it shows of one besides
}

// ItemPrompt is what a browser shows of how an item was asked: the prompt, or the question alone.
type ItemPrompt struct {
	Prompt   string   `json:"prompt,omitempty"` // after the subject's preamble
	Question string   `json:"question,omitempty"`
	Options  []string `json:"options,omitempty"`
}

// ItemPromptOf is what a record keeps of it.
func ItemPromptOf(r *journal.Record) ItemPrompt {
	return ItemPrompt{r.Prompt, r.Question, r.OptionTexts}
}

// Written is what a browser shows of a completion. Places count UTF-16 units, as browsers do.
type Written struct {
	Text  string `json:"text"`
	Start int    `json:"start"` // of the answer that was found; nowhere before End where there is none
	End   int    `json:"end"`
	Error string `json:"error,omitempty"`
}

// WrittenOf is a text in which an answer was found at a place, in bytes.
func WrittenOf(text string, start, end int, failure string) Written {
	from := Units(text[:start])
	return Written{text, from, from + Units(text[start:end]), failure}
}

// Browse adds a browser, its data and its script to the document, which can have one.
func Browse[T any](d *Document, b Browser[T]) error {
	rows, explained, preambles := make([]any, len(b.Items)), map[string][]string{}, map[string]string{}
	for i, item := range b.Items {
		rows[i] = b.Row(item)
	}
	for _, e := range grade.Explanations(grade.Failed{Header: b.Header, Shown: true}) {
		explained[e.Name] = []string{e.Words, e.Means, e.Remedy}
	}
	maps.Copy(preambles, b.Header.Preambles) // an object, also where there is none
	index, err := DataOf("index", map[string]any{"task": b.Header.Task, "names": b.Names, "items": rows, "chunk": perChunk,
		"explained": explained, "preambles": preambles})
	if err != nil {
		return err
	}
	texts, err := chunks(b.Items, b.Texts)
	if err != nil {
		return err
	}
	d.Data = append(append(d.Data, index), texts...)
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

// perChunk is how many items have their texts together in a chunk, which a browser unpacks whole.
const perChunk = 64

// chunks are the texts of items, made by of and deflated on all cores.
func chunks[T any](items []T, of func(T) (any, error)) ([]Data, error) {
	parts := slices.Collect(slices.Chunk(items, perChunk))
	deflated := make([]Data, len(parts))
	return deflated, OnAllCores(len(parts), func(i int) (err error) {
		all := make([]any, len(parts[i]))
		for k, item := range parts[i] {
			if all[k], err = of(item); err != nil {
				return err
			}
		}
		deflated[i], err = DataOf("texts-"+strconv.Itoa(i), all)
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
