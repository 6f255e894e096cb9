package prompts

import (
	"os"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// TestHelpNamesAllThatAStyleCanHave holds the help of the command style against the tables.
func TestHelpNamesAllThatAStyleCanHave(t *testing.T) {
	text, err := os.ReadFile("../cmd/proctor/console/words/style.txt")
	assert.NilError(t, err)
	var wanted []string
	for _, key := range keyList {
		wanted = append(wanted, "\n   "+key+": ")
	}
	for _, section := range sectionList {
		wanted = append(wanted, "\n   -- "+section+" -- ")
	}
	for name := range (&values{question: sample}).fields(ofShot) {
		wanted = append(wanted, "\n   ."+name+"  ")
	}
	for name := range functions {
		wanted = append(wanted, "\n   "+name+" ")
	}
	for _, want := range wanted {
		assert.Check(t, strings.Count(string(text), want) == 1, "the help of style has %q otherwise than once", want)
	}
}
