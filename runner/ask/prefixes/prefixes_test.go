package prefixes

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
)

// A node is one of a prefix tree as one would write it first.
type node map[int32]node

// add returns how many nodes were new.
func (n node) add(tokens []int32) int {
	added := 0
	for _, token := range tokens {
		if n[token] == nil {
			n[token] = node{}
			added++
		}
		n = n[token]
	}
	return added
}

func TestNewTokensAreThoseThatThePrefixTreeGrowsBy(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		examples := [][]int32{randomTokens(random, 12), randomTokens(random, 12)}
		var prompts []*tokens
		var want []int
		tree := node{}
		for range 1 + random.IntN(40) {
			example := examples[random.IntN(2)]
			whole := slices.Concat(example[:random.IntN(len(example)+1)], randomTokens(random, 6))
			p := tokensOf(example, whole)
			for i, token := range whole {
				assert.Assert(t, p.at(i) == token && p.len() == len(whole), "%v is kept as %+v", whole, p)
			}
			prompts = append(prompts, &p)
			want = append(want, max(1, tree.add(whole)))
		}
		assert.DeepEqual(t, newTokens(prompts), want)
	}
}

// randomTokens are at least one and of two kinds, so that much is shared.
func randomTokens(random *rand.Rand, most int) []int32 {
	tokens := make([]int32, 1+random.IntN(most))
	for i := range tokens {
		tokens[i] = random.Int32N(2)
	}
	return tokens
}

// A vocabulary splits texts as a function says and gives the pieces numbers.
type vocabulary struct {
	split func(text string) []string
	known map[string]int32
	bytes int // that were tokenised
}

func (v *vocabulary) Tokenize(text string) ([]int32, error) {
	v.bytes += len(text)
	ids := []int32{0}
	for _, piece := range v.split(text) {
		if v.known[piece] == 0 {
			v.known[piece] = int32(len(v.known) + 1)
		}
		ids = append(ids, v.known[piece])
	}
	return ids, nil
}

var wordPattern = regexp.MustCompile(`\n+|\s?\p{L}+|\s?\d{1,3}|\s?[^\s\p{L}\d]+|\s`)

var vocabularies = map[string]func(text string) []string{
	"words":                    func(text string) []string { return wordPattern.FindAllString(text, -1) },
	"words after a space":      func(text string) []string { return wordPattern.FindAllString(" "+text, -1) },
	"letters":                  func(text string) []string { return strings.Split(text, "") },
	"every three letters":      inThrees,
	"the whole text as a word": func(text string) []string { return []string{text} },
}

func inThrees(text string) (pieces []string) {
	for piece := range slices.Chunk([]rune(text), 3) {
		pieces = append(pieces, string(piece))
	}
	return pieces
}

func TestCountingIsAsIfEveryPromptWereTokenisedWhole(t *testing.T) {
	for _, task := range task.Generating() {
		items := itemsOf(t, task, 3)
		for name, split := range vocabularies {
			for how, order := range map[string][]int{
				"in order": indices(2 * len(items)), "mixed": rand.New(rand.NewPCG(1, 2)).Perm(2 * len(items)),
			} {
				t.Run(task.Name+" in "+name+", "+how, func(t *testing.T) {
					check(t, slices.Concat(items, items), order, &vocabulary{split: split, known: map[string]int32{}})
				})
			}
		}
	}
}

// itemsOf are a task's items of the sample's first questions.
func itemsOf(t *testing.T, task task.Task, shots int) []prompts.Item {
	set, err := dataset.Open(dataset.SampleName, dataset.Options{})
	assert.NilError(t, err)
	style, err := prompts.LookupStyle(task.Style)
	assert.NilError(t, err)
	items, err := prompts.Eval{Task: task, Style: style, Shots: shots}.Items(set, set.Test[:12])
	assert.NilError(t, err)
	return items
}

func check(t *testing.T, items []prompts.Item, order []int, tokenizer backends.Tokenizer) {
	longest, err := Of(items, tokenizer).Longest()
	assert.NilError(t, err)
	all := Of(items, tokenizer)
	lengths, err := all.Lengths()
	assert.NilError(t, err)
	assert.Equal(t, longest, slices.Max(lengths))
	added, err := all.New(order)
	assert.NilError(t, err)
	tree := node{}
	for _, i := range order {
		whole, err := tokenizer.Tokenize(items[i].Prompt())
		assert.NilError(t, err)
		assert.Equal(t, lengths[i], len(whole), "tokens of %s", items[i].ID)
		assert.Equal(t, added[i], max(1, tree.add(whole)), "new tokens of %s", items[i].ID)
	}
}

func TestPreamblesAreTokenisedOnce(t *testing.T) {
	items := itemsOf(t, task.All[0], 5)
	v := &vocabulary{split: vocabularies["words after a space"], known: map[string]int32{}}
	repeats := slices.Concat(items, items, items)
	_, err := Of(repeats, v).Lengths()
	assert.NilError(t, err)
	most, longest, seen := 0, 0, map[string]bool{}
	for _, item := range items {
		longest = max(longest, len(item.Prompt()))
		most += leadBytes + len(item.Text)
		if !seen[item.Subject] {
			seen[item.Subject] = true
			most += len(item.Prompt())
		}
	}
	most += surelyLongest * longest
	assert.Check(t, v.bytes <= most, "%d bytes were tokenised, %d are enough", v.bytes, most)
}

// Of thousands of prompts few are tokenised to find the longest one, and about how many tokens are new in all of them.
func TestFewPromptsAreTokenisedBeforeARun(t *testing.T) {
	for _, task := range task.Generating()[:3] {
		var items []prompts.Item
		few := itemsOf(t, task, 1)
		for k := range 3000 / len(few) {
			for _, item := range few { // of another question, and few are long
				item.QuestionID += 1000 * k
				item.Text = fmt.Sprint(k) + strings.Repeat(" more", 800*(k%25/24)) + item.Text
				items = append(items, item)
			}
		}
		v := &vocabulary{split: vocabularies["words after a space"], known: map[string]int32{}}
		all := Of(items, v)
		longest, err := all.Longest()
		assert.NilError(t, err)
		unique, err := all.Unique(indices(len(items)))
		assert.NilError(t, err)
		before := v.bytes
		lengths, err := all.Lengths()
		assert.NilError(t, err)
		added, err := all.New(indices(len(items)))
		assert.NilError(t, err)
		sum := 0
		for _, n := range added {
			sum += n
		}
		assert.Equal(t, longest, slices.Max(lengths))
		assert.Check(t, math.Abs(float64(unique-sum)) < 0.02*float64(sum), "%s: %d new tokens, about %d by the estimate", task.Name, sum, unique)
		assert.Check(t, before < v.bytes/2, "%s: %d of %d bytes were tokenised before the run", task.Name, before, v.bytes)
		t.Logf("%s: %d items, longest %d, unique %d, estimated %d, %d bytes of %d", task.Name, len(items), longest, sum, unique, before, v.bytes)
	}
}
