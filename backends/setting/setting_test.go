package setting

import (
	"fmt"
	"testing"
)

func TestMessagesHaveTheUsersSpelling(t *testing.T) {
	early := Errorf("lower %s", Context) // as a package's variable
	if got := early.Error(); got != "lower context" {
		t.Errorf("%q", got)
	}
	before := spelled
	t.Cleanup(func() { Spelled(before) })
	Spelled(func(s Setting) string { return "--" + string(s) })
	for got, want := range map[string]string{
		early.Error():                      "lower --context",
		fmt.Sprintf("%s or %v", Data, Map): "--data or --map",
		Shots.As("0"):                      "--shots 0",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
