package parity

import (
	"errors"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// letters is a model with a BOS, 1, and a token a letter.
type letters struct{}

func (letters) Tokenize(prompt string) ([]int32, error) {
	if prompt == "!" {
		return nil, errors.New("it can't")
	}
	tokens := []int32{1}
	for _, r := range prompt {
		tokens = append(tokens, r)
	}
	return tokens, nil
}

func (letters) Piece(token int32) string {
	if token == 1 {
		return ""
	}
	return string(token)
}

func TestDifferentTokensAreCountedAndTheFirstIsShown(t *testing.T) {
	const (
		same   = `{"id":"q/1","prompt":"ab","tokens":[1,97,98]}` + "\n"
		text   = `{"id":"q/2","prompt":"abcdefghijkl","tokens":[1,97,98,99,100,101,102,103,104,105,7,108],"pieces":{"7":"jk","108":"l"}}` + "\n"
		before = `{"id":"q/3","prompt":"ab","tokens":[97,98]}` + "\n"
		behind = `{"id":"q/4","prompt":"ab","tokens":[1,97,98,2]}` + "\n"
		both   = `{"id":"q/5","prompt":"ab","tokens":[9,1,97,98,2],"pieces":{"9":"<s>"}}` + "\n"
		short  = `{"id":"q/6","prompt":"ab","tokens":[1,97]}` + "\n"
		named  = `{"id":"q/7","prompt":"ab","tokens":[1,97,7]}` + "\n"
	)
	bos := []Token{{1, ""}, {97, "a"}, {98, "b"}}
	for name, c := range map[string]struct {
		file string
		want Result
	}{
		"the same": {same + same, Result{Prompts: 2}},
		"a text": {same + before + text, Result{Prompts: 3, Differ: 1, Around: 1, First: &Difference{"q/2", 10, "bcdefghi",
			[]Token{{106, "j"}, {107, "k"}, {108, "l"}}, []Token{{7, "jk"}, {108, "l"}}}}},
		"the first of several": {text + named, Result{Prompts: 2, Differ: 2, First: &Difference{"q/2", 10, "bcdefghi",
			[]Token{{106, "j"}, {107, "k"}, {108, "l"}}, []Token{{7, "jk"}, {108, "l"}}}}},
		"no BOS": {before + behind, Result{Prompts: 2, Around: 2, First: &Difference{"q/3", 0, "", bos, []Token{{97, ""}, {98, ""}}}}},
		"a token at each end": {both, Result{Prompts: 1, Around: 1, First: &Difference{"q/5", 0, "", bos,
			[]Token{{9, "<s>"}, {1, ""}, {97, ""}, {98, ""}}}}},
		"tokens that lack":         {short, Result{Prompts: 1, Around: 1, First: &Difference{"q/6", 2, "a", []Token{{98, "b"}}, []Token{}}}},
		"an empty line at the end": {same + "\n", Result{Prompts: 1}},
	} {
		got, err := Compare(strings.NewReader(c.file), letters{})
		assert.NilError(t, err, name)
		assert.DeepEqual(t, got, c.want)
		assert.Equal(t, got.Same(), c.want.First == nil, name)
	}
}

func TestAFileWithoutTokensIsRefused(t *testing.T) {
	const line = `{"id":"q/1","prompt":"ab","tokens":[1,97,98]}` + "\n"
	for file, want := range map[string]string{
		"":                                       "prompt 1: not a line with a prompt and its tokens",
		`{"model":{"type":"BPE"}}`:               "prompt 1: not a line with a prompt and its tokens",
		line + `{"id":"q/2","prompt":"ab"}`:      "prompt 2: not a line with a prompt and its tokens",
		line + line[:20]:                         "prompt 2: not a line with a prompt and its tokens",
		`{"id":"q/1","prompt":"!","tokens":[1]}`: "prompt q/1: it can't",
	} {
		_, err := Compare(strings.NewReader(file), letters{})
		assert.ErrorContains(t, err, want, file)
	}
}
