package chat

import (
	"errors"
	"testing"

	"gotest.tools/v3/assert"
)

func TestEffortIsTheTemplatesOrRefused(t *testing.T) {
	knows, err := Parse(OfModel, "Reasoning: {{ reasoning_effort | default('medium') }}", Here)
	assert.NilError(t, err)
	for effort, want := range map[string]string{"": "Reasoning: medium", "high": "Reasoning: high"} {
		if got, err := knows.Render(nil, Options{Effort: effort}); got != want || err != nil {
			t.Errorf("%q: %q, %v, want %q", effort, got, err, want)
		}
	}
	other, err := Parse(OfModel, "{{ messages }}", Here)
	assert.NilError(t, err)
	if _, err := other.Render(nil, Options{Effort: "low"}); !errors.Is(err, ErrEffortUnknown) {
		t.Errorf("%v", err)
	}
}
