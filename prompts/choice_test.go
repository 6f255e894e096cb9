package prompts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
)

func TestRandomShotsFollowTheSeedAndTheSubject(t *testing.T) {
	set := open(t, "sample")
	drawn := func(seed uint64, shots int) map[string]string {
		eval := prompts.Eval{Task: task.All[0], Style: lookup(t, "tiger"), Shots: shots, RandomShots: true}
		eval.Seed = seed
		ids := map[string]string{}
		for _, item := range itemsOf(t, set, eval) {
			ids[item.Subject] = strings.Trim(fmt.Sprint(item.Turns.ShotIDs), "[]")
			var asked []string
			for _, shot := range item.Turns.Shots {
				asked = append(asked, shot.Ask)
			}
			for i, id := range item.Turns.ShotIDs {
				q, err := set.Find(id)
				twice := slices.Contains(item.Turns.ShotIDs[:i], id)
				if err != nil || q.Subject != item.Subject || !strings.Contains(asked[i], q.Text) || twice {
					t.Fatalf("%s: shot %d is %d, %v", item.ID, i+1, id, err)
				}
			}
		}
		return ids
	}
	one, again, other, fewer := drawn(1, 5), drawn(1, 5), drawn(2, 5), drawn(1, 2)
	assert.DeepEqual(t, one, again)
	changed := 0
	for subject, ids := range one {
		if ids != other[subject] {
			changed++
		}
		if !strings.HasPrefix(ids, fewer[subject]+" ") {
			t.Errorf("%s: %s with 5 shots, %s with 2", subject, ids, fewer[subject])
		}
	}
	if changed < len(one)/2 {
		t.Errorf("another seed draws other shots for %d of %d subjects", changed, len(one))
	}
	eval := prompts.Eval{Task: task.All[0], Style: lookup(t, "tiger"), Shots: 5}
	first := itemsOf(t, set, eval)[0].Turns.ShotIDs
	if !slices.IsSorted(first) {
		t.Errorf("without a draw the shots are %v", first)
	}
}

func TestRandomShotsWithoutSubjectsServeAllOfThem(t *testing.T) {
	set := open(t, "sample")
	for i := range set.Validation {
		set.Validation[i].Subject = dataset.DefaultSubject
	}
	eval := prompts.Eval{Task: task.All[0], Style: lookup(t, "tiger"), Shots: 5, RandomShots: true}
	drawn := map[string]bool{}
	for _, item := range itemsOf(t, set, eval) {
		drawn[fmt.Sprint(item.Turns.ShotIDs)] = true
	}
	if len(drawn) < 10 {
		t.Errorf("%d different draws for 14 subjects: %v", len(drawn), drawn)
	}
}

func TestShuffledOptionsTakeTheGoldLetterWithThem(t *testing.T) {
	set := open(t, "sample")
	plain := itemsOf(t, set, prompts.Eval{Task: task.All[0], Style: lookup(t, "tiger"), Shots: 5})
	letters := map[uint64]string{}
	for _, seed := range []uint64{0, 1, 2} {
		items := itemsOf(t, set, prompts.Eval{Task: task.All[0], Style: lookup(t, "tiger"), Shots: 5, Shuffle: &seed})
		moved := 0
		for i, item := range items {
			before := plain[i]
			if item.ID != before.ID || item.Options != before.Options || item.Preamble != before.Preamble {
				t.Fatalf("%s: more than the options changed", item.ID)
			}
			if got, want := optionOf(item), optionOf(before); got != want {
				t.Errorf("%s: gold is %s, %q; it was %q", item.ID, item.Gold, got, want)
			}
			if at := item.Order[before.Gold[0]-'A']; string(at) != item.Gold {
				t.Errorf("%s: gold %s, now %s, in order %s", item.ID, before.Gold, item.Gold, item.Order)
			}
			if item.Gold != before.Gold {
				moved++
			}
			letters[seed] += item.Gold
		}
		if moved < len(items)/2 {
			t.Errorf("seed %d moves %d of %d gold options", seed, moved, len(items))
		}
		for _, letter := range "ABCD" {
			if n := strings.Count(letters[seed], string(letter)); n < len(items)/25 || n > len(items)/4 {
				t.Errorf("seed %d: %c is the gold letter of %d of %d items", seed, letter, n, len(items))
			}
		}
	}
	if letters[0] == letters[1] || letters[1] == letters[2] {
		t.Error("seeds give the same order")
	}
	if plain[0].Order != "" {
		t.Errorf("an item that is not shuffled has order %s", plain[0].Order)
	}
}

// optionOf is the text of an item's gold option.
func optionOf(item prompts.Item) string {
	_, rest, _ := strings.Cut(item.Text, "\n"+item.Gold+". ")
	text, _, _ := strings.Cut(rest, "\n")
	return text
}

func TestOnlyItemsThatShowTheSetsOrderAreShuffled(t *testing.T) {
	seed, set := uint64(1), setOf(question(1, 3, "A"))
	for name, want := range map[string]string{
		"mmlu_pro_binary":   "shuffle options is for mmlu_pro, mmlu_pro_direct: an item that is true or false shows one option",
		"mmlu_pro_circular": "shuffle options is for mmlu_pro, mmlu_pro_direct: an item is an order already",
	} {
		eval := evalOf(t, name, prompts.Expansion{})
		eval.Shuffle = &seed
		_, err := eval.Items(set, set.Test)
		assert.ErrorContains(t, err, want)
	}
}

func TestTheSystemsTextLeadsARawPrompt(t *testing.T) {
	set := setOf(question(1, 3, "A"))
	eval := prompts.Eval{Task: task.All[0], Style: lookup(t, "tiger"), Shots: 5}
	without := itemsOf(t, set, eval)[0]
	eval.System = "You are careful."
	with := itemsOf(t, set, eval)[0]
	assert.Equal(t, with.Prompt(), "You are careful.\n\n"+without.Prompt())
	style, err := prompts.ParseStyle("f", "style: my-"+strings.TrimPrefix(strings.Replace(eval.Style.Text, "-- instruction --",
		"-- system --\nAbout {{.Subject}}.\n-- instruction --", 1), "style: "))
	if err != nil {
		t.Fatal(err)
	}
	eval.Style = style
	assert.Equal(t, itemsOf(t, set, eval)[0].Prompt(), "You are careful.\n\n"+without.Prompt())
	eval.System = ""
	assert.Equal(t, itemsOf(t, set, eval)[0].Prompt(), "About math.\n\n"+without.Prompt())
}
