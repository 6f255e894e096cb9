package recount

import (
	"math/rand/v2"
	"strings"
	"testing"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/mark/grade"
	"proctor/scripts/tests/sharedtest"
)

// scraps are what texts are made of: what the rule sets look for, what nearly is that, and what stands around it.
var scraps = strings.Split(strings.Repeat("the answer is (|", 7)+
	"answer is |answer is (|the answer is |Answer is |ANSWER|answer|Answer|anſwer|"+
	"nswer:|:|: |：|(|)|[|]|"+
	"（|）|【|】|*|**|,|, |，| |  |\n|\r\n|\t|\u00a0|\x1c|"+
	"\u3000|.|A|B|C|D|E|F|G|H|I|J|K|Z|a|b|j|AB|FAB|not |and |the |is |É|é|ß|ǅ|Ⅷ|Ⓐ|_|1|٣|-|'|"+
	"so |Because|(A)|[LETTER]|<letter>|答案|"+
	"\nFinal answer: |\n**Answer:** |my |the correct option is |choice **is** |The Answer Is: |\\boxed{|\\text{|\\(|$|"+
	"most likely |option |, or | or |/|, and |&|(c)|**b**|’m|‑cell|I think|\nI|\nA) |"+strings.Repeat("so on ", 33), "|")

func TestRuleSetsAgreeWithAPlainSecondOneOnRandomTexts(t *testing.T) {
	texts := sharedtest.Count(20_000, 100_000)
	random := rand.New(rand.NewPCG(14, 11))
	answered, sets := map[string]int{}, grade.Sets()
	for range texts {
		var text strings.Builder
		for range 1 + random.IntN(14) {
			text.WriteString(scraps[random.IntN(len(scraps))])
		}
		options := 2 + random.IntN(9)
		if random.IntN(9) == 0 {
			options = 11 + random.IntN(16)
		}
		it := journal.Record{Text: text.String(), Options: options, Gold: "A", Finish: backends.FinishStop}
		for _, set := range sets {
			want, got := letterOf(set.Name, it.Text, options), set.Mark(&journal.Header{}, &it)
			if got.Letter != want {
				t.Fatalf("%s, %d options: %q: got %q, plainly %q", set.Name, options, it.Text, got.Letter, want)
			}
			if !strings.HasSuffix(strings.ToUpper(it.Text[got.At.Start:got.At.End]), want) {
				t.Fatalf("%s, %d options: %q: %q does not end %v", set.Name, options, it.Text, want, got.At)
			}
			if want != "" {
				answered[set.Name]++
			}
		}
	}
	for _, set := range sets {
		if set.Name == grade.Direct {
			continue // takes a letter alone
		}
		if share := float64(answered[set.Name]) / float64(texts); share < 0.04 || share > 0.95 {
			t.Errorf("%s answers %.2f of the texts: they try it too little", set.Name, share)
		}
	}
}
