package score

import (
	"context"
	"iter"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/results"
)

// syllables is a model whose tokens are given texts.
type syllables []string

func (s syllables) Piece(token int32) string { return s[token] }
func (s syllables) TokenOf(piece string) (int32, bool) {
	i := slices.Index(s, piece)
	return int32(i), i >= 0
}
func (s syllables) VocabularySHA256() string                        { return "" }
func (s syllables) Close() error                                    { return nil }
func (s syllables) Info(context.Context) (i backends.Info, _ error) { return i, nil }
func (s syllables) Generate(context.Context, iter.Seq[backends.Request], func(backends.Completion) error) error {
	return nil
}

// Tokenize takes the longest syllable each time.
func (s syllables) Tokenize(text string) (tokens []int32, _ error) {
	for text != "" {
		best := -1
		for i, piece := range s {
			if piece != "" && strings.HasPrefix(text, piece) && (best < 0 || len(piece) > len(s[best])) {
				best = i
			}
		}
		tokens, text = append(tokens, int32(best)), text[len(s[best]):]
	}
	return tokens, nil
}

func TestTheGoldLetterTakesThePlaceOfTheAnswersInItsToken(t *testing.T) {
	model := syllables{"the answer is", " (", "B", ")", "C", " (B", " (C", " B", " C", ".", "", "(D)", " is", "the", " answer"}
	for name, test := range map[string]struct {
		text, gold string
		extra      []int32
		want       letter
	}{
		"a letter of its own":           {"the answer is.C", "B", nil, letter{2, 2}},
		"with a space":                  {"the answer is B.", "C", nil, letter{1, 8}},
		"with a bracket":                {"the answer is (B).", "C", []int32{10}, letter{1, 6}},
		"before a stop string's tokens": {"the answer is B.", "C", []int32{0, 9}, letter{1, 8}},
		"no token for the gold letter":  {"the answer is B.", "D", nil, letter{at: -1}},
		"tokens that are another text":  {"the answer is B.", "C", []int32{0, 0}, letter{at: -1}},
		"behind what ends a completion": {"the answer is", "C", nil, letter{at: -1}},
	} {
		tokens, err := model.Tokenize(test.text)
		assert.NilError(t, err)
		if name == "tokens that are another text" {
			tokens = nil
		}
		it := answered(test.text, test.gold)
		const prompt = "Which? "
		got := goldLetter(model, it, len(prompt), spelt(model, append(tokens, test.extra...), prompt, test.text, false))
		assert.Check(t, got == test.want, "%s: %+v, want %+v", name, got, test.want)
	}
}

// answered is an item whose answer is the last B or C of a completion.
func answered(text, gold string) *results.Item {
	it := &results.Item{Record: journal.Record{Gold: gold}, Marks: []grade.Mark{{}}}
	if at := strings.LastIndexAny(text, "BC"); at >= 0 {
		it.Marks[0] = grade.Mark{Letter: text[at : at+1], At: grade.Span{Start: max(0, at-1), End: at + 1}}
	}
	return it
}

// TestWhatMergesWithThePromptIsReadAsOneText has prompts and completions meet inside a token.
func TestWhatMergesWithThePromptIsReadAsOneText(t *testing.T) {
	model := syllables{"a", ".", "..", ".\n\n", "\n", "The answer is", " (", "B", "C", ")", " (B", "? (B", "? (C", "? ", "?", ".\n", "\n\n"}
	for name, test := range map[string]struct {
		prompt, text string
		tokens       []int32
		replaces     int
		letter       letter
	}{
		"nothing merges":              {"a.", "The answer is (B).", []int32{5, 10, 9, 1}, 0, letter{-1, 0}},
		"a full stop":                 {"a.", ".The answer isB", []int32{2, 5, 7}, 1, letter{2, 8}},
		"an empty line":               {"a.", "\n\nThe answer isB.", []int32{3, 5, 7, 1}, 1, letter{2, 8}},
		"the other half of it":        {"a.\n", "\nThe answer isB.", []int32{3, 5, 7, 1}, 1, letter{2, 8}},
		"several of the prompt's own": {"a\n.\n", "\nB", []int32{3, 7}, 1, letter{1, 8}},
		"the letter itself":           {"a?", " (B", []int32{11}, 1, letter{0, 12}},
		"more than a token of both":   {"a? ", "(B", []int32{11}, 1, letter{0, 12}},
	} {
		forced, err := continuation(model, test.prompt, test.text)
		assert.NilError(t, err)
		assert.Check(t, slices.Equal(forced.Tokens, test.tokens) && forced.Replaces == test.replaces,
			"%s: %+v, want %v in place of %d", name, forced, test.tokens, test.replaces)
		prompt, err := model.Tokenize(test.prompt)
		assert.NilError(t, err)
		whole, err := model.Tokenize(test.prompt + test.text)
		assert.NilError(t, err)
		read := slices.Concat(prompt[:len(prompt)-forced.Replaces], forced.Tokens)
		assert.Check(t, slices.Equal(read, whole), "%s: %v is read, the text is %v", name, read, whole)
		got := goldLetter(model, answered(test.text, "C"), len(test.prompt), spelt(model, forced.Tokens, test.prompt, test.text, true))
		assert.Check(t, got.at == test.letter.at && (got.at < 0 || got == test.letter), "%s: %+v, %+v", name, got, test.letter)
	}
}

// TestTheEndSaysWhereTokensStand has tokenizers that add a space behind a prompt, or leave white space out there.
func TestTheEndSaysWhereTokensStand(t *testing.T) {
	model := syllables{"", " The answer is", "The answer is", "B", "C", "."}
	for _, text := range []string{"The answer isB.", "  The answer isB."} {
		for _, first := range []int32{1, 2} {
			s := spelt(model, []int32{first, 3, 5}, "<assistant>", text, true)
			got := goldLetter(model, answered(text, "C"), len("<assistant>"), s)
			assert.Check(t, got == (letter{1, 4}), "%q behind token %d: %+v", text, first, got)
		}
	}
}
