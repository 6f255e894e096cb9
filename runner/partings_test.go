package runner

import (
	"slices"
	"testing"

	"proctor/prompts"
)

func TestPromptsPartAfterTheShotsAndAfterTheQuestion(t *testing.T) {
	p := &Plan{}
	for _, item := range []struct{ preamble, text string }{
		{"Maths. ", "1 + 1? A"}, {"Maths. ", "1 + 1? B"}, {"Maths. ", "2 + 2? A"}, {"History. ", "1 + 1? A"},
	} {
		p.Items = append(p.Items, prompts.Item{Preamble: item.preamble, Text: item.text})
	}
	for name, test := range map[string]struct{ items, want []int }{
		"a variant and another question":          {[]int{0, 1, 2, 3}, []int{7, 14}},
		"another question first":                  {[]int{0, 2, 1, 3}, []int{7, 14}},
		"the last of a subject":                   {[]int{2, 3}, []int{7}},
		"the last of all":                         {[]int{3}, []int{9}},
		"once more":                               {[]int{0, 0}, []int{7, 15}},
		"nobody looks further than some requests": {append(slices.Repeat([]int{0}, 1+ahead), 1), []int{7, 15}},
	} {
		if got := p.partings(test.items); !slices.Equal(got, test.want) {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
}
