package dataset_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/prompts/dataset"
	"proctor/scripts/tests/errortest"
)

func TestAMappingIsWrittenAsItIsRead(t *testing.T) {
	for text, want := range map[string]string{
		"question=prompt,options=choices,answer=label":             "question=prompt,options=choices,answer=label",
		" answer = label , question = the prompt ,options=A + B":   "question=the prompt,options=A+B,answer=label",
		`question="a, b",options="x+y"+"z \" #",answer=choices.1`:  `question="a, b",options="x+y"+"z \" #",answer=choices.1`,
		"correct=Right,incorrect=W 1+W 2,question=Q # a comment":   "question=Q,correct=Right,incorrect=W 1+W 2",
		"separator=tab,header=no,answer-is=index1,cot=why,id=nr":   "answer-is=index1,id=nr,cot=why,separator=tab,header=no",
		"labels=choices.label,answer-is=label,subject=s,src=where": "labels=choices.label,answer-is=label,subject=s,src=where",
	} {
		m := parsed(t, text)
		assert.Equal(t, m.String(), want)
		assert.Equal(t, parsed(t, m.String()).String(), want)
	}
	path := write(t, "map.txt", "# our exam\nquestion = prompt\n\noptions=A+B, answer=\"the, label\"  # as index\n")
	assert.Equal(t, parsed(t, "@"+path).String(), `question=prompt,options=A+B,answer="the, label"`)
}

func TestABadMappingSaysWhatIsWrong(t *testing.T) {
	bad := write(t, "map.txt", "question=a\nanswr=b\n")
	empty := write(t, "map.txt", "# nothing\n")
	for text, want := range map[string]string{
		"prompt":                      `mapping "prompt": "prompt" is no KEY=COLUMN, as in question=prompt`,
		"":                            `"" is no KEY=COLUMN`,
		"question=":                   "question: a column's name is missing",
		"options=A++B":                "options: a column's name is missing",
		"options=A+":                  "options: a column's name is missing",
		"question=a,":                 `"" is no KEY=COLUMN`,
		"promt=a":                     "promt: there is no such key; there are question, options, labels, answer, answer-is,",
		"question=a,question=b":       "question: it is given twice",
		"options=A,options=B":         "options: it is given twice",
		"answer=A+B":                  "answer: it takes one column, not 2; several are for options and incorrect",
		"answer-is=number":            `answer-is: "number" is none of letter, index0, index1, text, label`,
		"separator=,":                 "separator: a column's name is missing",
		"separator=space":             `separator: "space" is none of comma, semicolon, tab, pipe`,
		"header=yes":                  "header: there is header=no, once",
		`question="a"b`:               `question: after "a": want a comma, a plus or the end, not "b"`,
		"@" + bad:                     bad + `:2: answr: there is no such key`,
		"@" + empty:                   "says nothing; write lines such as question=prompt",
		"@" + filepath.Join(bad, "x"): "not a directory",
	} {
		_, err := dataset.ReadMapping(text)
		errortest.For(t, text, err, want)
		assert.Check(t, strings.HasPrefix(fmt.Sprint(err), "mapping ") && !strings.Contains(fmt.Sprint(err), "\n"), "%s: %v", text, err)
	}
}

// FuzzMapping reads arbitrary mappings: an error of one line, or one that is written as it is read.
func FuzzMapping(f *testing.F) {
	f.Add("question=prompt,options=A+B+C+D,answer=label,answer-is=index1")
	f.Add(`question="a, b", options="x+y"+z # so`)
	f.Add(`header=no,separator=tab,labels=choices.label`)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := dataset.ReadMapping(strings.TrimPrefix(text, "@"))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error of several lines: %v", err)
			}
			return
		}
		if again, err := dataset.ReadMapping(m.String()); err != nil || again.String() != m.String() {
			t.Errorf("%q becomes %q, then %q, %v", text, m, again, err)
		}
	})
}
