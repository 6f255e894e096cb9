package recount

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/mark/grade"
	"proctor/scripts/tests/sharedtest"
)

// afterThinking returns an item's text after the last end of thinking, up to where thinking begins again without an end. Thinking may have
// started in the prompt: then only the engine knows that there is nothing else.
func (r *plainRun) afterThinking(it *plainItem) (text string, unclosed bool) {
	thought := 0
	for _, way := range r.thinking {
		if at := strings.LastIndex(it.Text, way.Close); at >= 0 {
			thought = max(thought, at+len(way.Close))
		}
	}
	text = it.Text[thought:]
	for _, way := range r.thinking {
		before, _, again := strings.Cut(text, way.Open)
		text, unclosed = before, unclosed || again
	}
	if thought == 0 && !unclosed && it.Cause == "THINK_UNCLOSED" {
		return "", true
	}
	return text, unclosed
}

// read sets the letter that a rule set takes from the item's text, and whether it is the gold one.
func (r *plainRun) read(it *plainItem, rules string) {
	it.letter, it.right, it.unclosed, it.said, it.cause = "", 0, false, "", it.Cause
	if it.failed || it.Cause == "REFUSED" {
		return
	}
	if r.repeatsPrompt(it) {
		it.cause = "ECHO"
		return
	}
	text, reader := it.Text, rules == "anchored" || strings.HasPrefix(rules, "binary")
	if reader || r.strip {
		text, it.unclosed = r.afterThinking(it)
	}
	for _, stop := range r.stop {
		if reader {
			text, _, _ = strings.Cut(text, stop)
		}
	}
	if it.letter = letterOf(rules, text, it.Options); it.letter != "" && it.letter == it.Gold {
		it.right = 1
	}
	it.said = text
	it.cause = it.ending()
}

// repeatsPrompt says whether a text begins with the first 100 bytes of the subject's preamble, or with the whole prompt where that is
// shorter, or has two of the paragraphs of several lines, each of 100 bytes or more, that the preamble has.
func (r *plainRun) repeatsPrompt(it *plainItem) bool {
	preamble, text := strings.TrimSpace(r.preambles[it.Subject]), strings.TrimSpace(it.Text)
	whole := strings.TrimSpace(r.preambles[it.Subject] + it.Prompt)
	switch {
	case len(preamble) >= 100 && strings.Index(text, preamble[:100]) == 0:
		return true
	case len(preamble) < 100 && len(whole) >= 100 && strings.Index(text, whole) == 0:
		return true
	}
	found := 0
	for paragraph := range strings.SplitSeq(preamble, "\n\n") {
		lines := strings.Split(strings.TrimSpace(paragraph), "\n")
		if again := strings.Join(lines, "\n"); len(lines) > 1 && len(again) >= 100 && strings.Count(it.Text, again) > 0 {
			found++
		}
	}
	return found >= 2
}

// ending says how a completion ended, or why it has no letter; nothing of one with a letter that ended by itself.
func (it *plainItem) ending() string {
	cut := it.Finish == "length"
	switch {
	case it.Cause == "LOOP" || cut && repeating(it.Text):
		return "LOOP"
	case it.unclosed:
		return "THINK_UNCLOSED"
	case it.Cause != "" && it.Cause != "THINK_UNCLOSED":
		return it.Cause
	case cut:
		return "LENGTH"
	case it.letter != "":
		return ""
	case it.Stop != "":
		return "STOP"
	case strings.TrimSpace(it.said) == "":
		return "EMPTY"
	}
	return "NO_LETTER"
}

// repeating says whether a text ends in four equal parts or more, of 400 bytes together.
func repeating(text string) bool {
	for part := 1; part <= 2048; part++ {
		n := max(400, 4*part)
		if n > len(text) {
			return false
		}
		if end := text[len(text)-n:]; end[part:] == end[:n-part] {
			return true
		}
	}
	return false
}

// twoLetters says whether a completion says "answer is (X)" of two letters.
func (r *plainRun) twoLetters(it *plainItem) bool {
	text := it.Text
	if r.strip {
		text, _ = r.afterThinking(it)
	}
	for _, stop := range r.stop {
		text, _, _ = strings.Cut(text, stop)
	}
	letters := map[string]bool{}
	for _, found := range tiger[max(10, it.Options)][0].FindAllStringSubmatch(text, -1) {
		letters[found[1]] = true
	}
	return len(letters) > 1
}

// rules fills in what the other rule sets make of the items.
func (r *plainRun) rules() {
	for _, name := range ruleSets {
		if r.task != "mmlu_pro_binary" && strings.HasPrefix(name, "binary") || name == "direct" {
			continue
		}
		items := make([]*plainItem, len(r.items))
		for i, it := range r.items {
			other := *it
			r.read(&other, name)
			items[i] = &other
		}
		path := "rules." + name + "."
		r.part(path, items)
		score := map[string]string{"mmlu_pro_binary": "balanced_accuracy", "mmlu_pro_circular": "perf"}[r.task]
		for _, figure := range [][2]string{{"score", score}, {"score_ci.low", score + "_ci.low"},
			{"score_ci.high", score + "_ci.high"},
			{"score_ci.confidence", score + "_ci.confidence"}} {
			if x, known := r.want[path+figure[1]]; known {
				r.put(path+figure[0], x)
			}
		}
		for other := range r.want {
			if strings.HasPrefix(other, path) && !ofRules.MatchString(other) {
				delete(r.want, other)
			}
		}
		if r.task == "mmlu_pro" && name == "tiger" {
			r.put("rules.tiger.leaderboard_equivalent", leaderboardEquivalent(items))
		}
	}
}

// ofRules are the figures that each rule set has.
var ofRules = regexp.MustCompile(`\.(answered|correct|accuracy|accuracy_answered|ci\.[a-z]+|score|score_ci\.[a-z]+)$`)

// leaderboardEquivalent is the share that the authors' script would print on average: it takes an option at random where it
// finds no answer.
func leaderboardEquivalent(items []*plainItem) float64 {
	return meanOf(each(scoredOf(items), func(it *plainItem) float64 {
		if it.letter == "" {
			return chanceOf(it)
		}
		return it.right
	}))
}

const edge = markup + opening + closing + stops + ` \t\r\n`

var (
	answerLine = regexp.MustCompile(`^[` + markup + `#>\-• \t]*` + folded("(?:the )?(?:my )?(?:final )?(?:correct )?answer") +
		colon + `((?s:.*))$`)
	alone      = regexp.MustCompile(`^[` + edge + `]*([A-Za-z])[` + edge + `]*$`)
	inBrackets = regexp.MustCompile(`[(（][ ` + markup + `]*([A-Z])[ ` + markup + `]*[)）]`)
	capital    = regexp.MustCompile(`[A-Z]`)
	before     = regexp.MustCompile(`[\pL\pN_\-'’]$`)
	opened     = regexp.MustCompile(`[` + opening + markup + `]$`)
	blank      = regexp.MustCompile(`^[` + markup + opening + ` \t]*$`)
	heads      = regexp.MustCompile(`^(?:[.):）：]|[` + markup + opening + closing + stops + ` \t\r]*(?:\n|$))`)
	trailing   = regexp.MustCompile(`[` + space + `]+$`)
)

// agiEvals takes the last answer line's letter, else the last one in round brackets that begins in the last 200 bytes or so, else
// the last capital that is a word of its own: A and I only where they are set apart.
func agiEvals(text, letters string) string {
	letter, settled := "", false
	for _, line := range strings.SplitAfter(text, "\n") {
		m := answerLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if named, found := answer(m[1], letters); found {
			letter, settled = named, true
		} else if only := group(alone, m[1]); only != "" {
			if named, found := answer("("+only+")", letters); found {
				letter, settled = named, true
			}
		}
	}
	if settled {
		return letter
	}
	end := len(trailing.ReplaceAllString(text, ""))
	for _, at := range inBrackets.FindAllStringSubmatchIndex(text, -1) {
		if x := text[at[2]:at[3]]; at[2] >= end-200 && strings.Contains(letters, x) {
			letter = x
		}
	}
	if letter != "" {
		return letter
	}
	for _, at := range capital.FindAllStringIndex(text, -1) {
		x, after := text[at[0]:at[1]], text[at[1]:]
		_, size := utf8.DecodeLastRuneInString(text[:at[0]])
		last := text[at[0]-size : at[0]]
		if !strings.Contains(letters, x) || before.MatchString(last) || inWord.MatchString(after) || tied.MatchString(after) {
			continue
		}
		line := text[strings.LastIndex(text[:at[0]], "\n")+1 : at[0]]
		apart := opened.MatchString(last) && closed.MatchString(after) || blank.MatchString(line) && heads.MatchString(after)
		if x != "A" && x != "I" || apart {
			letter = x
		}
	}
	return letter
}

// scraps are the pieces of random texts: the phrases of the rule sets, near misses, and the text around them.
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
			assert.Assert(t, got.Letter == want, "%s, %d options: %q: got %q, plainly %q", set.Name, options, it.Text, got.Letter, want)
			assert.Assert(t, strings.HasSuffix(strings.ToUpper(it.Text[got.At.Start:got.At.End]), want),
				"%s, %d options: %q: %q does not end %v", set.Name, options, it.Text, want, got.At)
			if want != "" {
				answered[set.Name]++
			}
		}
	}
	for _, set := range sets {
		if set.Name == grade.Direct {
			continue // takes a letter alone
		}
		share := float64(answered[set.Name]) / float64(texts)
		assert.Check(t, share >= 0.04 && share <= 0.95, "%s answers %.2f of the texts: they try it too little", set.Name, share)
	}
}
