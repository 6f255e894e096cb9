package backends

import (
	"fmt"
	"testing"

	"gotest.tools/v3/assert"
)

func TestAWorkloadSaysWhyItDoesNotFit(t *testing.T) {
	for _, test := range []struct {
		work    Workload
		context int
		want    string
	}{
		{Workload{PromptTokens: 60, MaxTokens: 40}, 100, "<nil>"},
		{Workload{PromptTokens: 61, MaxTokens: 40}, 0, "<nil>"}, // no limit
		{Workload{PromptTokens: 61, MaxTokens: 40}, 100,
			"a context of 100 tokens is too small: the prompt has 61 and may get 40 more; 101 are needed"},
		{Workload{Requests: 2, PromptTokens: 61, MaxTokens: 40}, 100,
			"a context of 100 tokens is too small: the longest prompt has 61 and may get 40 more; 101 are needed"},
		{Workload{PromptTokens: 101, Forced: true}, 100, "a context of 100 tokens is too small: the prompt and its " +
			"completion have 101"},
		{Workload{MaxTokens: 99}, 100, "<nil>"},
		{Workload{MaxTokens: 100}, 100, "a context of 100 tokens is too small: the answer alone may get 100"},
	} {
		assert.Equal(t, fmt.Sprint(test.work.Fits(test.context)), test.want)
	}
}
