package html

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"html/template"
	"io"
	"regexp"
	"strings"

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
	Styles  []string // after those that all documents have
	Modules []string // ECMAScript modules, each after those that it imports; their top-level names are unlike each other
	Data    []Data

	begun bool // by Begin
}

//go:embed assets/document.css
var style string

// Write writes the document. The same document gives the same bytes.
func (d Document) Write(to io.Writer) error {
	css := strings.Join(append([]string{style}, d.Styles...), "\n")
	script := join(d.Modules)
	out := bufio.NewWriter(to)
	fmt.Fprintf(out, `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>%s</title>
<style>%s</style>
</head>
<body>
`, policy(css, script), html.EscapeString(page.Visible(d.Title)), css)
	for _, block := range d.Body {
		out.WriteString(page.Visible(string(block)) + "\n")
	}
	if d.begun {
		out.WriteString("</main>\n")
	}
	for _, data := range d.Data {
		if err := data.write(out); err != nil {
			return err
		}
	}
	if script != "" {
		fmt.Fprintf(out, "<script type=\"module\">%s</script>\n", script)
	}
	out.WriteString("</body>\n</html>\n")
	return out.Flush()
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

// between matches what is between modules that are files of their own, and is nothing in one script.
var between = regexp.MustCompile(`(?m)^import [^;]*;\n|^export `)

// join makes one script of modules.
func join(modules []string) string {
	var joined bytes.Buffer
	for _, module := range modules {
		joined.WriteString(between.ReplaceAllString(module, ""))
		joined.WriteByte('\n')
	}
	return strings.TrimRight(joined.String(), "\n")
}
