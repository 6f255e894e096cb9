package choices_test

import (
	"strings"
	"testing"

	"proctor/prompts/dataset/choices"
	"proctor/scripts/tests/errortest"
)

func TestChoicesAreIDsOrPlaces(t *testing.T) {
	for text, want := range map[string]choices.Choice{
		"70": {ID: 70}, " 0 ": {}, "math:7": {Subject: "math", From: 7, To: 7}, "computer science:1-50": {Subject: "computer science", From: 1, To: 50},
		"a:b:2-3": {Subject: "a:b", From: 2, To: 3},
	} {
		if got, err := choices.Parse(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, wrong := range []string{"", "-1", "x", "math:", "math:0", "math:5-4", "math:0-3", "math:1-", ":3", "7.5", "math:99999999999999999999"} {
		if got, err := choices.Parse(wrong); err == nil {
			t.Errorf("%q is taken for %+v", wrong, got)
		}
	}
}

func TestListsOfIDsMayBeFiles(t *testing.T) {
	ids, err := choices.IDs("70,71\n# hard ones\n 72 73 # both\r\n\n074\n")
	if err != nil || strings.Join(ids, " ") != "70 71 72 73 74" {
		t.Errorf("%v, %v", ids, err)
	}
	_, err = choices.IDs("70,seven")
	errortest.Says(t, err, `"seven" is not a question id: ids are whole numbers, as in 70,71`)
	_, err = choices.IDs("70,math:1")
	errortest.Says(t, err, `"math:1" is not a question id`)
	_, err = choices.IDs("# none\n")
	errortest.Says(t, err, "there is no id in it")
}
