package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends/registry"
	"proctor/cmd/proctor/console"
)

// Kernels that compute wrong or crash are named, and the program fails.
func TestASelfTestThatFailsIsAFailedGate(t *testing.T) {
	right := registry.Verdict{Kernels: "ggml", Items: 3, Texts: 3}
	wrong := registry.Verdict{Kernels: "proctor", Level: "wide", Items: 3}
	assert.NilError(t, json.Unmarshal([]byte(`[{"id": "sums/1", "at": 7, "want": "4", "got": "5"}]`), &wrong.Differences))
	dead := registry.Verdict{Kernels: "proctor", Level: "wider", Died: "SIGILL: illegal instruction"}
	d := diagnosis{SelfTest: []registry.Verdict{right, wrong, dead}}
	err := d.verdict()
	if console.ExitCode(err) != console.ExitGate || !errors.Is(err, console.ErrGate) || !strings.Contains(err.Error(), "with wide and wider") {
		t.Errorf("got %v", err)
	}
	var out bytes.Buffer
	assert.NilError(t, d.page().Text(&out))
	for _, want := range []string{
		"ggml   ok: 3 of 3", "wide   WRONG: 1 of 3 texts differ", "wider  DIED: SIGILL",
		`sums/1: from character 7 on it should be "4" and is "5"`,
	} {
		assert.Check(t, strings.Contains(out.String(), want), "%s lacks %q", out.String(), want)
	}
	if err := (diagnosis{SelfTest: []registry.Verdict{right}}).verdict(); err != nil {
		t.Errorf("what is right fails: %v", err)
	}
}
