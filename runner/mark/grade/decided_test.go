package grade_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"proctor/backends"
	"proctor/runner/mark/grade"
)

func TestRuleSetsThatTakeTheFirstMatchDecide(t *testing.T) {
	want := map[string]bool{"tiger-strict": true, "tiger": true, "lm-eval": true}
	for _, set := range grade.Sets() {
		if set.Decides(false) != want[set.Name] {
			t.Errorf("%s decides: %v", set.Name, set.Decides(false))
		}
		if set.Decides(true) {
			t.Errorf("%s decides although what it reads may turn out to be thinking", set.Name)
		}
	}
	var names []string
	for _, set := range grade.Deciding("mmlu_pro_binary") {
		names = append(names, set.Name)
	}
	if got := strings.Join(names, " "); got != "tiger-strict tiger lm-eval" {
		t.Errorf("deciding: %s", got)
	}
}

// pieces is what made-up completions consist of: all that the rules look at, whole and in parts, and what they don't.
var pieces = []string{
	"answer is ", "answer is", "the answer is (", "(", "A", "B", "J", "K", "a", ")", "C)", " answer ", "is ", " ", "\n", "Answer: ",
	"nswer:",
	"Because", "**", "é", "漢", "\xff", "\xe6", "Question:", "<think>", "</think>", "answer is \n", "answer is ((", "answer is ()", "D.",
}

func madeUp(random *rand.Rand) string {
	var text strings.Builder
	for range random.IntN(14) {
		text.WriteString(pieces[random.IntN(len(pieces))])
	}
	return text.String()
}

// checkDecided shows a text piece by piece to every rule set that decides. Where one says that the mark is settled, the
// text so far must be marked as the whole is. Where none does, nothing must have been missed: the first rule finds nothing.
func checkDecided(t *testing.T, text string, size, options int) {
	t.Helper()
	for _, set := range grade.Deciding("mmlu_pro") {
		mark := func(text string) grade.Mark {
			return mark(set, item{Text: text, Options: options, Gold: "B", Stop: []string{"Question:"}, Finish: backends.FinishStop})
		}
		decided, at := set.Decider(), 0
		for {
			at = min(at+size, len(text))
			if decided([]byte(text[:at])) {
				if cut, whole := mark(text[:at]), mark(text); cut != whole {
					t.Fatalf("%s: %q is %+v, of %q, which is %+v", set.Name, text[:at], cut, text, whole)
				}
				return
			}
			if _, found := set.Rules[0].Find(text[:at], options); found {
				t.Fatalf("%s: %q is not decided", set.Name, text[:at])
			}
			if at == len(text) {
				break
			}
		}
	}
}

func TestATextThatIsDecidedIsMarkedAsTheWholeIs(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 9))
	for range 20_000 {
		text := madeUp(random)
		for _, size := range []int{1, 3, 1 + random.IntN(30)} {
			checkDecided(t, text, size, 1+random.IntN(10))
		}
	}
}

// What comes after a cut is not only what did come: nothing that could have come changes the mark.
func TestNoContinuationChangesADecidedMark(t *testing.T) {
	random := rand.New(rand.NewPCG(10, 11))
	for range 20_000 {
		text := madeUp(random)
		for _, set := range grade.Deciding("mmlu_pro") {
			if !set.Decider()([]byte(text)) {
				continue
			}
			item := item{Text: text, Options: 4, Gold: "B", Finish: backends.FinishStop}
			cut := mark(set, item)
			item.Text = text + madeUp(random)
			if whole := mark(set, item); cut != whole {
				t.Fatalf("%s: %q is %+v, %q is %+v", set.Name, text, cut, item.Text, whole)
			}
		}
	}
}

func TestUndecidedMeansThatALetterCanStillComeFirst(t *testing.T) {
	random := rand.New(rand.NewPCG(12, 13))
	for range 5_000 {
		text := madeUp(random)
		for _, set := range grade.Deciding("mmlu_pro") {
			if set.Decider()([]byte(text)) {
				continue
			}
			var letters []string
			for _, letter := range []string{"A", "B"} {
				item := item{Text: text + "\nthe answer is (" + letter, Options: 10, Gold: "B", Finish: backends.FinishStop}
				letters = append(letters, mark(set, item).Letter)
			}
			if !slices.Equal(letters, []string{"A", "B"}) {
				t.Fatalf("%s: %q is not decided, but no answer changes its mark: %v", set.Name, text, letters)
			}
		}
	}
}

func TestADeciderCanBeShownAnotherText(t *testing.T) {
	decided := grade.Deciding("mmlu_pro")[0].Decider()
	if decided([]byte(strings.Repeat("a request that is tried again, ", 20))) {
		t.Error("decided without an answer")
	}
	if decided([]byte("the ")) || decided([]byte("the answer is")) || !decided([]byte("the answer is (C")) {
		t.Error("the second text is read differently")
	}
}

func FuzzDecided(f *testing.F) {
	for i, c := range cases {
		f.Add(c.text, uint8(i), uint8(i))
	}
	f.Fuzz(func(t *testing.T, text string, size, options uint8) {
		checkDecided(t, text, int(size%20)+1, int(options%10)+1)
	})
}

// BenchmarkDecider shows a long completion token by token.
func BenchmarkDecider(b *testing.B) {
	text := []byte(strings.Repeat("We think about it, and what the answer is will be seen. ", 150))
	set := grade.Deciding("mmlu_pro")[0]
	b.ReportAllocs()
	for b.Loop() {
		decided := set.Decider()
		for at := 4; at <= len(text); at += 4 {
			if decided(text[:at]) {
				b.Fatal("decided")
			}
		}
	}
	b.ReportMetric(float64(b.N*len(text)/4)/b.Elapsed().Seconds(), "tokens/s")
}
