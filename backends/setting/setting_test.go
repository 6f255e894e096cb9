package setting

import (
	"fmt"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

func TestMessagesHaveTheUsersSpelling(t *testing.T) {
	early := Errorf("lower %s", Context) // as a package's variable
	assert.Check(t, is.Equal(early.Error(), "lower context"))
	before := spelled
	t.Cleanup(func() { SetSpelling(before) })
	SetSpelling(func(s Setting) string { return "--" + string(s) })
	for got, want := range map[string]string{
		early.Error():                      "lower --context",
		fmt.Sprintf("%s or %v", Data, Map): "--data or --map",
		Shots.As("0"):                      "--shots 0",
	} {
		assert.Check(t, got == want, "%q, want %q", got, want)
	}
}

func TestCommandLinesCanBeTypedIntoTheSystemsShell(t *testing.T) {
	words := []string{"proctor", "run", "--out", `a b`, "--subjects=law,math", `C:\it's\`, `C:\a b\`, `say "x\"`, ""}
	assert.Check(t, is.Equal(commandOn("linux", words),
		`proctor run --out 'a b' --subjects=law,math 'C:\it'"'"'s\' 'C:\a b\' 'say "x\"' ''`))
	assert.Check(t, is.Equal(commandOn("windows", words),
		`proctor run --out "a b" "--subjects=law,math" "C:\it's\\" "C:\a b\\" "say \"x\\\"" ""`))
}
