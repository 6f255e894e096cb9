// Package filler makes the text that stands before prompts, so that a model answers behind a long context: the damage of a quantised
// cache shows at thousands of tokens.
//
// The text is made of questions of other subjects, with their options and without their answers, in a seeded order. All items of a
// subject have the same text, as a part of the preamble they share: a cache of prefixes holds it once. It is as long by the model's own
// tokens as is asked for, within a word, and tells nothing about the questions that are asked.
package filler

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"proctor/prompts"
	"proctor/prompts/dataset"
)

// Least is how many tokens a filler has at least.
const Least = 64

// What stands around the text, so that a model can tell it from what it is asked.
const (
	before = "Other material, which the questions after it do not need:\n\n"
	after  = "\n\nEnd of the other material.\n\n"
)

// Fill gives items text of so many tokens before everything else that they share. count counts a text's tokens.
func Fill(items []prompts.Item, set *dataset.Set, seed uint64, tokens int, count func(text string) (int, error)) ([]prompts.Item, error) {
	filled := slices.Clone(items)
	for subject := range prompts.BySubject(filled) {
		text, err := textFor(subject[0].Subject, set, seed, tokens, count)
		if err != nil {
			return nil, err
		}
		prompts.Prepend(subject, text)
	}
	return filled, nil
}

// textFor is a subject's text.
func textFor(subject string, set *dataset.Set, seed uint64, tokens int, count func(string) (int, error)) (string, error) {
	nothing, err := count("") // the token that texts begin with
	if err != nil {
		return "", err
	}
	long := func(text string) (int, error) {
		n, err := count(text)
		return n - nothing, err
	}
	others := slices.DeleteFunc(slices.Clone(set.Test), func(q dataset.Question) bool { return q.Subject == subject })
	prompts.RandomOf(subject, seed).Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
	var b strings.Builder
	b.WriteString(before)
	have, next := 0, 1
	for i, q := range others {
		b.WriteString(spelled(q))
		if i+1 < next && i+1 < len(others) {
			continue
		}
		next = i + 1 + max(1, next/2) // counting a long text for each of its questions would take longer than asking
		if have, err = long(b.String() + after); err != nil {
			return "", err
		}
		if have >= tokens {
			return cut(b.String(), tokens, long)
		}
	}
	return "", &ShortError{Set: set.Name, Subject: subject, Tokens: tokens, Have: have}
}

// cut is the longest text of whole words, with its end, that has no more than so many tokens.
func cut(text string, tokens int, long func(string) (int, error)) (string, error) {
	var ends []int // of the words behind the first line
	for i := len(before); i < len(text); i++ {
		if text[i] == ' ' || text[i] == '\n' {
			ends = append(ends, i)
		}
	}
	var failed error
	over := sort.Search(len(ends), func(i int) bool {
		n, err := long(text[:ends[i]] + after)
		if err != nil {
			failed = err
		}
		return n > tokens
	})
	if over == 0 {
		return "", fmt.Errorf("a filler of %s is too short for what stands around it: give %d or more", tokensOf(tokens), Least)
	}
	return text[:ends[over-1]] + after, failed
}

func tokensOf(n int) string { return fmt.Sprintf("%d tokens", n) }

// spelled is a question with its options.
func spelled(q dataset.Question) string {
	return strings.TrimSpace(q.Text) + " " + strings.Join(q.Options, "; ") + ".\n\n"
}

// ShortError says that a set's other subjects have too little text.
type ShortError struct {
	Set, Subject string
	Tokens, Have int // tokens wanted, and there
}

func (e *ShortError) Error() string {
	return fmt.Sprintf("a filler of %s for the subject %s: the questions of all other subjects of %s have %d: give a smaller number or a "+
		"larger set", tokensOf(e.Tokens), e.Subject, e.Set, e.Have)
}
