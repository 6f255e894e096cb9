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

// modules are the modules of every browser, each after its imports.
var modules = []string{"data.js", "dom.js", "text.js", "things.js", "list.js", "browser.js"}

// A Browser is a part of a document that lists items, with filters and a search, and shows one of them at a time.
type Browser[T any] struct {
	ID, Title string
	Notes     []string
	Files     embed.FS        // the items' own assets, in a folder browser: a style sheet, and modules
	Style     string          // of the style sheet
	Modules   []string        // each after its imports; the last one starts the browser
	Header    *journal.Header // of the run: for its task, and the preambles of its subjects
	Names     []string        // of the runs or rule sets whose answers are shown
	Items     []T
	Row       func(T) any          // what the page loads of all items at once
	Texts     func(T) (any, error) // what it loads of the item that it shows
}

// ItemPrompt is an item's prompt, or its question alone, for a browser.
type ItemPrompt struct {
	Prompt   string   `json:"prompt,omitempty"` // after the subject's preamble
	Question string   `json:"question,omitempty"`
	Options  []string `json:"options,omitempty"`
}

// ItemPromptOf takes the prompt from a record.
func ItemPromptOf(r *journal.Record) ItemPrompt {
	return ItemPrompt{r.Prompt, r.Question, r.OptionTexts}
}

// Written is a completion for a browser. Places count UTF-16 units, as browsers do.
type Written struct {
	Text  string `json:"text"`
	Start int    `json:"start"` // of the answer that was found; equal to End if there is none
	End   int    `json:"end"`
	Error string `json:"error,omitempty"`
}

// WrittenOf is a text with the place of its answer, in bytes.
func WrittenOf(text string, start, end int, failure string) Written {
	from := Units(text[:start])
	return Written{text, from, from + Units(text[start:end]), failure}
}

// Browse adds a browser, its data and its script to the document; a document can have one.
func Browse[T any](d *Document, b Browser[T]) error {
	rows, explained, preambles := make([]any, len(b.Items)), map[string][]string{}, map[string]string{}
	for i, item := range b.Items {
		rows[i] = b.Row(item)
	}
	for _, e := range grade.Explanations(grade.Failed{Header: b.Header, Shown: true}) {
		explained[e.Name] = []string{e.Words, e.Means, e.Remedy}
	}
	maps.Copy(preambles, b.Header.Preambles) // an empty map becomes an object, not null
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

// asset reads an embedded file.
func asset(files embed.FS, name string) string {
	content, err := files.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return string(content)
}

// perChunk is the number of items in a chunk of texts, which a browser unpacks as a whole.
const perChunk = 64

// chunks deflates the texts of items, as returned by of, on all cores.
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

// OnAllCores calls do n times, in parallel on all cores. The error is that of the first call that failed.
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

// Units is a text's length in UTF-16 units, as browsers count.
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

// DataType is the type of script elements that hold data: no scripting language, so that browsers leave them alone.
const DataType = "application/x-deflated"

// A Data is a piece of data that the document's script finds by an id: JSON, deflated (RFC 1951), in base64.
type Data struct {
	ID       string
	deflated []byte
}

// DataOf encodes a value's JSON under an id.
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

// Base64 is the data in the document's encoding.
func (d Data) Base64() string { return base64.StdEncoding.EncodeToString(d.deflated) }
