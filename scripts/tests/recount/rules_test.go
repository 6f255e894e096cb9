package recount

import "strings"

// thinkings are ways to mark thinking: where a journal names none, the first is meant.
var thinkings = []struct{ name, from, to string }{
	{"tags", "<think>", "</think>"},
	{"mistral", "[THINK]", "[/THINK]"},
	{"harmony", "<|channel|>analysis<|message|>", "<|channel|>final<|message|>"},
}

// afterThinking is what an item's text says once thinking has ended for the last time, and up to where it begins again without an end.
// It may have begun in the prompt: then only the engine knows that there is nothing else.
func (r *plainRun) afterThinking(it *plainItem) (text string, unclosed bool) {
	thought := 0
	for i, way := range thinkings {
		if r.thinking[way.name] || len(r.thinking) == 0 && i == 0 {
			if at := strings.LastIndex(it.Text, way.to); at >= 0 {
				thought = max(thought, at+len(way.to))
			}
		}
	}
	text = it.Text[thought:]
	for i, way := range thinkings {
		if r.thinking[way.name] || len(r.thinking) == 0 && i == 0 {
			before, _, again := strings.Cut(text, way.from)
			text, unclosed = before, unclosed || again
		}
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
		r.part("rules."+name+".", items)
		if r.task == "mmlu_pro" && name == "tiger" {
			r.put("rules.tiger.leaderboard_equivalent", leaderboardEquivalent(items))
		}
	}
}

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
