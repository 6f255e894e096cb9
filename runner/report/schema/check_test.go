package schema

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gotest.tools/v3/assert"

	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/results"
	"proctor/runner/report/page"
	"proctor/scripts/tests/errortest"
)

// check returns an error where a document breaks its schema.
func check(t *testing.T, name string, document io.Reader) error {
	t.Helper()
	text, err := Of(name)
	assert.NilError(t, err)
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	assert.NilError(t, err)
	compiler := jsonschema.NewCompiler()
	assert.NilError(t, compiler.AddResource(name, schema))
	compiled, err := compiler.Compile(name)
	assert.NilError(t, err)
	value, err := jsonschema.UnmarshalJSON(document)
	if err != nil {
		return err
	}
	return compiled.Validate(value)
}

func TestASchemaRefusesWhatItDoesNotName(t *testing.T) {
	h, records := journaltest.Examples()["circular"]()
	run, err := results.Open(journaltest.Keep(t, t.TempDir(), h, records), "")
	assert.NilError(t, err)
	s, err := metrics.Of(run, metrics.Options{})
	assert.NilError(t, err)
	var out bytes.Buffer
	assert.NilError(t, page.JSON(&out, s))
	assert.NilError(t, check(t, "report", bytes.NewReader(out.Bytes())))
	for name, change := range map[string]func(map[string]any){
		"a new field":           func(r map[string]any) { r["novel"] = 1 },
		"a new field of a part": func(r map[string]any) { r["speed"].(map[string]any)["novel"] = 1 },
		"a metric of no name":   func(r map[string]any) { r["circular"].(map[string]any)["more_circular"] = 1 },
		"a missing field":       func(r map[string]any) { delete(r, "headline") },
		"a text for a number":   func(r map[string]any) { r["accuracy"] = "0.5" },
		"half an interval":      func(r map[string]any) { delete(r["ci"].(map[string]any), "high") },
	} {
		var changed map[string]any
		assert.NilError(t, json.Unmarshal(out.Bytes(), &changed))
		change(changed)
		text, err := json.Marshal(changed)
		assert.NilError(t, err)
		err = check(t, "report", bytes.NewReader(text))
		assert.Check(t, err != nil, "%s is let through", name)
	}
}

func TestASchemaThatIsNotThereIsRefused(t *testing.T) {
	_, err := Of("novel")
	errortest.Says(t, err, "there are report, items")
}
