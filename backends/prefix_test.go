package backends

import (
	"slices"
	"testing"

	"gotest.tools/v3/assert"
)

func TestPromptsPartAfterTheShotsAndAfterTheQuestion(t *testing.T) {
	for name, test := range map[string]struct {
		prompts []string
		want    []int
	}{
		"a variant, another question and another subject": {
			[]string{"Maths. 1 + 1? A", "Maths. 1 + 1? B", "Maths. 2 + 2? A", "History. 1 + 1? A"}, []int{0, 7, 14},
		},
		"another question first": {[]string{"Maths. 1 + 1? A", "Maths. 2 + 2? A", "Maths. 1 + 1? B"}, []int{7, 14}},
		"the last of all":        {[]string{"Maths. 1 + 1? A"}, nil},
		"once more":              {[]string{"Maths.", "Maths."}, []int{6}},
		"too far ahead":          {append(slices.Repeat([]string{"Maths."}, 1+lookAhead), "History."), []int{6}},
	} {
		got := Partings(test.prompts[0], slices.Values(test.prompts[1:]))
		assert.Check(t, slices.Equal(got, test.want), "%s: %d, want %d", name, got, test.want)
	}
}
