package dataset

import (
	"strings"
	"testing"

	"proctor/scripts/tests/errortest"
)

func TestChoicesAreIDsOrPlaces(t *testing.T) {
	for text, want := range map[string]choice{
		"70": {id: 70}, " 0 ": {}, "math:7": {subject: "math", from: 7, to: 7}, "computer science:1-50": {subject: "computer science", from: 1, to: 50},
		"a:b:2-3": {subject: "a:b", from: 2, to: 3},
	} {
		if got, err := choiceOf(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, wrong := range []string{"", "-1", "x", "math:", "math:0", "math:5-4", "math:0-3", "math:1-", ":3", "7.5", "math:99999999999999999999"} {
		if got, err := choiceOf(wrong); err == nil {
			t.Errorf("%q is taken for %+v", wrong, got)
		}
	}
}

func TestListsOfIDsMayBeFiles(t *testing.T) {
	ids, err := ReadIDs("70,71\n# hard ones\n 72 73 # both\r\n\n074\n")
	if err != nil || strings.Join(ids, " ") != "70 71 72 73 74" {
		t.Errorf("%v, %v", ids, err)
	}
	for list, want := range map[string]string{
		"70,seven": `"seven" is not a question id: ids are whole numbers, as in 70,71`, "70,math:1": `"math:1" is not a question id`,
		"# none\n": "there is no id in it",
	} {
		_, err = ReadIDs(list)
		errortest.Says(t, err, want)
	}
}
