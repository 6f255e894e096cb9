package report

import (
	"bytes"
	"testing"

	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"

	"proctor/runner/mark/samplesize"
	"proctor/runner/report/page"
)

func TestGoldenPlan(t *testing.T) {
	plan, err := samplesize.Aim{HalfWidth: 0.05, Detect: 0.01, Confidence: 0.95}.Size(168, 0)
	assert.NilError(t, err)
	plan.Data = "sample"
	var text, encoded bytes.Buffer
	assert.NilError(t, Plan(&plan).Text(&text))
	assert.NilError(t, page.JSON(&encoded, plan))
	golden.Assert(t, text.String(), "plan.txt")
	golden.Assert(t, encoded.String(), "plan.json")
}
