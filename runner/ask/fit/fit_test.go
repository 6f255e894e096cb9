package fit

import (
	"fmt"
	"strings"
	"testing"

	"proctor/prompts"
)

// words are a tokenizer: a token a word.
type words struct{}

func (words) Tokenize(prompt string) ([]int32, error) {
	var ids []int32
	for word := range strings.FieldsSeq(prompt) {
		id := int32(0)
		for _, r := range word {
			id = 31*id + r
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// shown are items with so many words of their own, behind shots of ten words each.
func shown(lengths []int, shots int) []prompts.Item {
	preamble := "Choose. " + strings.Repeat("a b c d e f g h i j ", shots)
	var items []prompts.Item
	for i, n := range lengths {
		items = append(items, prompts.Item{
			ID: fmt.Sprint(i), QuestionID: i, Subject: []string{"law", "math"}[i%2], Preamble: preamble, Text: strings.Repeat(fmt.Sprintf("w%d ", i), n),
		})
	}
	return items
}

// Every item shows the most shots with which it fits, counted here anew for each number; those that fit with none stay whole.
func TestItemsShowAsManyShotsAsFit(t *testing.T) {
	lengths := []int{1, 5, 9, 10, 11, 20, 31, 39, 40, 49, 50, 51, 59, 60, 61, 200, 3, 19}
	for room := 5; room <= 70; room += 5 {
		items := shown(lengths, 5)
		s := Shots{Most: 5, Room: room, Tokenizer: words{}, Fewer: func(shots int) ([]prompts.Item, error) { return shown(lengths, shots), nil }}
		replaced, err := s.Fit(items)
		if err != nil {
			t.Fatal(err)
		}
		changed := 0
		for i, n := range lengths {
			want := 5
			for want > 0 && 1+10*want+n > room {
				want--
			}
			fits := 1+10*want+n <= room
			got := 5
			if items[i].Shown != nil {
				got = *items[i].Shown
				changed++
			}
			if !fits {
				want = 5
			}
			ids, _ := words{}.Tokenize(items[i].Prompt())
			if got != want || len(ids) != 1+10*want+n || items[i].ID != fmt.Sprint(i) {
				t.Errorf("room %d, %d words: %d shots, %d tokens, want %d shots", room, n, got, len(ids), want)
			}
		}
		if replaced != changed {
			t.Errorf("room %d: %d replaced, said %d", room, changed, replaced)
		}
	}
}
