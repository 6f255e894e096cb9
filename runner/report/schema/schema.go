// Package schema has the JSON Schemas (draft 2020-12) of what proctor writes as JSON: what other programs can rely on.
//
// The Go types and their comments are the source: this package's test makes the schemas, and fails if the files differ:
//
//	go test ./runner/report/schema -update
//
// It also checks every JSON golden of the repository against them.
package schema

import (
	"embed"
	"fmt"
	"sync"

	"proctor/backends/setting"
	"proctor/runner/mark/format"
)

//go:embed *.json
var files embed.FS

// A Document is a kind of JSON with a schema.
type Document struct{ Name, By string }

// Documents are all documents, with the commands that write them.
var Documents = sync.OnceValue(func() []Document {
	return []Document{
		{"report", "report and run: a run, or an array of several and of what they come to together"},
		{"items", "report " + setting.Items.String() + " " + setting.Format.As("jsonl") + ": each line"},
		{"item", "show"},
		{"runs", "report of a folder of runs"},
		{"compare", "compare"},
		{"flips", "compare " + setting.Flips.String() + " " + setting.Format.As("jsonl") + ": each line"},
		{"table", "run and report of several tasks or runs, as table.json"},
		{"score", "score"},
		{"sweep", "sweep: sweep.json, what is swept and how far it has come"},
		{"choice", "sweep: which file to run"},
		{"plan", "plan"},
		{"bench", "bench"},
	}
})

// Of is the schema of a document.
func Of(name string) ([]byte, error) {
	for _, d := range Documents() {
		if d.Name == name {
			return files.ReadFile(name + ".json")
		}
	}
	return nil, fmt.Errorf("there is no schema %q; there are %s", name, Names())
}

// Names lists all documents, for people.
func Names() string {
	return format.List(Documents(), func(d Document) string { return d.Name })
}
