package html

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strings"
	text "text/template"
	"time"

	"proctor/runner/report/page"
)

// A Block is a piece of a document's body.
type Block = template.HTML

// A Drawing shows figures.
type Drawing = page.Drawing

// A Document is a file for a browser.
type Document struct {
	Title   string
	Body    []Block
	Styles  []string // after the common ones
	Modules []string // ECMAScript modules, each after its imports; their top-level names must differ
	Data    []Data
	Reload  time.Duration // after which it loads itself anew, since its file is written again; 0 for a final document

	started bool // Begin was called
}

var (
	//go:embed assets/document.css
	style string
	//go:embed assets/drawings.css
	drawn string
	//go:embed assets/reload.js
	reload string
	//go:embed assets/document.gotmpl
	skeleton string

	// document is no html/template: its values are HTML, a style sheet and a script already.
	document = text.Must(text.New("").Funcs(text.FuncMap{"visible": func(value any) string { return page.Visible(fmt.Sprint(value)) }}).
			Parse(skeleton))
)

// Write writes the document. The same document gives the same bytes.
func (d Document) Write(to io.Writer) error {
	if d.Reload > 0 {
		d.Modules = append(slices.Clip(d.Modules), reload)
	}
	css, script := strings.Join(append([]string{style, drawn}, d.Styles...), "\n"), join(d.Modules)
	out := bufio.NewWriter(to)
	err := document.Execute(out, map[string]any{"Policy": policy(css, script), "Title": d.Title, "Style": css, "Body": d.Body,
		"Reload": d.Reload.Seconds(), "Started": d.started, "Data": d.Data, "DataType": DataType, "Script": script})
	return errors.Join(err, out.Flush())
}

// policy allows the document's own style sheet and script, and nothing else.
func policy(style, script string) string {
	own := func(kind, text string) string {
		if text == "" {
			return kind + " 'none'"
		}
		sum := sha256.Sum256([]byte(text))
		return kind + " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return strings.Join([]string{"default-src 'none'", own("style-src", style), own("script-src", script), "base-uri 'none'",
		"form-action 'none'"}, "; ")
}

// between matches imports and exports, which separate files need and one script doesn't.
var between = regexp.MustCompile(`(?m)^import [^;]*;\n|^export `)

// join makes one script of several modules.
func join(modules []string) string {
	var joined bytes.Buffer
	for _, module := range modules {
		joined.WriteString(between.ReplaceAllString(module, ""))
		joined.WriteByte('\n')
	}
	return strings.TrimRight(joined.String(), "\n")
}
