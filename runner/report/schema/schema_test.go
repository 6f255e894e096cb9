package schema

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"
	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"

	"proctor/runner/ask"
	"proctor/runner/ask/bench"
	"proctor/runner/mark/choice"
	"proctor/runner/mark/divergence"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/samplesize"
	"proctor/runner/mark/stats"
	"proctor/runner/report/compare"
	"proctor/runner/report/items"
	"proctor/runner/report/table"
	"proctor/scripts/tests/errortest"
)

func init() { errortest.SpellFlags() }

// A shape is the Go types of a document: one of them alone, an array of any, or either.
type shape struct {
	alone, listed []any
}

var shapes = map[string]shape{
	"report":  {alone: []any{metrics.Summary{}}, listed: []any{metrics.Summary{}, table.Table{}}},
	"items":   {alone: []any{items.Row{}}},
	"item":    {alone: []any{items.Item{}}},
	"runs":    {listed: []any{table.Listed{}}},
	"compare": {alone: []any{pairs.Comparison{}}},
	"flips":   {alone: []any{compare.Flip{}}},
	"table":   {alone: []any{table.Table{}}},
	"score":   {alone: []any{divergence.Score{}}},
	"sweep":   {alone: []any{ask.Asked{}}},
	"choice":  {alone: []any{choice.Choice{}}},
	"plan":    {alone: []any{samplesize.Plan{}}},
	"bench":   {listed: []any{bench.Test{}, bench.Eval{}, bench.Comparison{}}},
}

func TestSchemasAreThoseOfTheTypes(t *testing.T) {
	r := reflector(t)
	assert.Assert(t, len(shapes) == len(Documents()), "%d documents have types, of %d", len(shapes), len(Documents()))
	for _, d := range Documents() {
		t.Run(d.Name, func(t *testing.T) { golden.Assert(t, derived(t, r, d, shapes[d.Name]), "../"+d.Name+".json") })
	}
}

// reflector makes schemas from types, and reads their comments.
func reflector(t *testing.T) *jsonschema.Reflector {
	t.Helper()
	r := &jsonschema.Reflector{Anonymous: true, Mapper: written, Namer: func(of reflect.Type) string {
		if of.Name() == "" {
			return "" // a list or a map, whose schema stands in place
		}
		return of.String() // with its package
	}}
	here, err := os.Getwd()
	assert.NilError(t, err)
	t.Chdir("../../..") // comments are found by paths from the module's root
	for _, folder := range []string{"runner", "backends"} {
		assert.NilError(t, r.AddGoComments("proctor", folder))
	}
	for name, comment := range r.CommentMap {
		r.CommentMap[name] = strings.Join(strings.Fields(comment), " ")
	}
	t.Chdir(here)
	return r
}

// written is the schema of a type that writes its own JSON.
func written(of reflect.Type) *jsonschema.Schema {
	switch of {
	case reflect.TypeFor[stats.Number]():
		return &jsonschema.Schema{Type: "number"}
	case reflect.TypeFor[stats.Interval]():
		return &jsonschema.Schema{Ref: "#/$defs/stats.Interval"}
	}
	return nil
}

// interval is the schema of a stats.Interval.
func interval() *jsonschema.Schema {
	properties := jsonschema.NewProperties()
	for _, name := range []string{"low", "high", "confidence"} {
		properties.Set(name, &jsonschema.Schema{Type: "number"})
	}
	properties.Set("method", &jsonschema.Schema{Type: "string", Description: "how it was made"})
	return &jsonschema.Schema{Type: "object", Description: "a two-sided confidence interval", Properties: properties,
		Required: []string{"low", "high", "confidence", "method"}, AdditionalProperties: jsonschema.FalseSchema}
}

func derived(t *testing.T, r *jsonschema.Reflector, d Document, s shape) string {
	t.Helper()
	root := &jsonschema.Schema{Version: jsonschema.Version, Title: "proctor: " + d.Name, Description: "written by " + d.By,
		Definitions: jsonschema.Definitions{"stats.Interval": interval()}}
	references := func(types []any) []*jsonschema.Schema {
		var all []*jsonschema.Schema
		for _, of := range types {
			made := r.Reflect(of)
			maps.Copy(root.Definitions, made.Definitions)
			all = append(all, &jsonschema.Schema{Ref: made.Ref})
		}
		return all
	}
	root.AnyOf = references(s.alone)
	if len(s.listed) > 0 {
		root.AnyOf = append(root.AnyOf, &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{AnyOf: references(s.listed)}})
	}
	for name, definition := range root.Definitions {
		if name == "metrics.Circular" {
			circular(definition)
		}
		nullable(definition)
	}
	text, err := json.MarshalIndent(root, "", "  ")
	assert.NilError(t, err)
	return string(text) + "\n"
}

// nullable allows null for lists without omitempty: that is how empty ones are written.
func nullable(s *jsonschema.Schema) {
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		if slices.Contains(s.Required, p.Key) && (p.Value.Type == "array" || p.Value.Type == "object" && p.Value.Properties == nil) {
			p.Value.Extras = map[string]any{"type": []string{p.Value.Type, "null"}}
			p.Value.Type = ""
		}
	}
}

// circular adds the metrics, whose names depend on the run.
func circular(s *jsonschema.Schema) {
	const names = `^((acc|perf|more_[0-9]+)_(origin|circular|all_possible)|` +
		metrics.Consistency + "|" + metrics.MajorityVote + "|" + metrics.OriginMinusPerf + ")"
	s.PatternProperties = map[string]*jsonschema.Schema{
		names + "(_eligible)?$": {Type: "number"},
		names + "_ci$":          written(reflect.TypeFor[stats.Interval]()),
		names + "_baseline$":    {Ref: "#/$defs/guess.Scores"},
	}
}

// goldens maps the JSON goldens of a folder to their documents, by the file's name.
var goldens = []struct {
	files    *regexp.Regexp
	document string
}{
	{regexp.MustCompile(`^report/testdata/plan`), "plan"},
	{regexp.MustCompile(`^report/testdata/`), "report"},
	{regexp.MustCompile(`^report/compare/testdata/flips`), "flips"},
	{regexp.MustCompile(`^report/compare/testdata/choice\.json`), "choice"},
	{regexp.MustCompile(`^report/compare/`), "compare"},
	{regexp.MustCompile(`^report/table/`), "table"},
	{regexp.MustCompile(`^report/items/testdata/item[0-9]`), "item"},
	{regexp.MustCompile(`^ask/bench/`), "bench"},
}

func TestEveryGoldenHasASchemaAndKeepsToIt(t *testing.T) {
	var paths []string
	for _, pattern := range []string{"report/testdata/*.json", "*/*/testdata/*.json"} {
		found, err := filepath.Glob("../../" + pattern)
		assert.NilError(t, err)
		paths = append(paths, found...)
	}
	assert.Assert(t, len(paths) >= 20, "%d goldens", len(paths))
	for _, path := range paths {
		name, err := filepath.Rel("../..", path)
		assert.NilError(t, err)
		at := slices.IndexFunc(goldens, func(g struct {
			files    *regexp.Regexp
			document string
		}) bool {
			return g.files.MatchString(filepath.ToSlash(name))
		})
		if at < 0 {
			t.Errorf("%s: no schema is named for it in goldens", name)
			continue
		}
		content, err := os.ReadFile(path)
		assert.NilError(t, err)
		assert.Check(t, check(t, goldens[at].document, bytes.NewReader(content)), "%s", name)
	}
	lines, err := filepath.Glob("../items/testdata/*.jsonl")
	if err != nil || len(lines) == 0 {
		t.Fatal("no golden of a list of items", err)
	}
	for _, path := range lines {
		content, err := os.ReadFile(path)
		assert.NilError(t, err)
		for line := range strings.Lines(string(content)) {
			assert.Check(t, check(t, "items", strings.NewReader(line)), "%s", path)
		}
	}
}
