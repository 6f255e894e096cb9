package grade_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"proctor/backends"
	"proctor/runner/grade"
)

// The rule sets that another harness has are written down here once more, as its patterns in Go's syntax, with Python's \s, \w and
// \d: nothing is shared with the scanners that they check.
const (
	space = `[\t-\r\x1c-\x20\x{85}\p{Z}]*`
	label = `[A-Za-z\p{Nd}]`
)

var (
	marker    = regexp.MustCompile(`(?i:answer)` + space + `:` + space + `\**` + space)
	bracket   = regexp.MustCompile(`^[(\[（【]` + space + `(` + label + `(?:` + space + `[,，]` + space + label + `)*)` + space + `[)\]）】]`)
	plainText = regexp.MustCompile(`^(` + label + `[A-Za-z\p{Nd} ,]*)`)
	labels    = regexp.MustCompile(label + `+`)
)

var references = map[string]func(text string, letters string) string{
	"tiger-strict": func(text, _ string) string { return group(answerIs, text) },
	"lm-eval": func(text, letters string) string {
		if letter := group(answerIs, text); strings.Contains(letters, letter) {
			return letter
		}
		return ""
	},
	"tiger": func(text, _ string) string {
		for _, pattern := range []*regexp.Regexp{answerIs, answerColon} {
			if letter := group(pattern, text); letter != "" {
				return letter
			}
		}
		last, before := "", ' '
		for i, r := range text {
			after, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
			if strings.ContainsRune("ABCDEFGHIJ", r) && !word(before) && (i+1 == len(text) || !word(after)) {
				last = string(r)
			}
			before = r
		}
		return last
	},
	"evalscope": func(text, letters string) string {
		markers := marker.FindAllStringIndex(text, -1)
		for i := len(markers) - 1; i >= 0; i-- {
			for _, pattern := range []*regexp.Regexp{bracket, plainText} {
				named := prefix(group(pattern, text[markers[i][1]:]), letters)
				if named == "" {
					continue
				}
				if len(named) == 1 {
					return named
				}
				return "" // several
			}
		}
		for i := len(text); i > 0; {
			r, size := utf8.DecodeLastRuneInString(text[:i])
			i -= size
			if unicode.In(r, unicode.Lu, unicode.Other_Uppercase) {
				if strings.ContainsRune(letters, r) {
					return string(r)
				}
				return ""
			}
		}
		return ""
	},
}

// prefix is the beginning of a list of labels that holds nothing but the question's.
func prefix(list, letters string) string {
	end := 0
	for _, at := range labels.FindAllStringIndex(list, -1) {
		if strings.Trim(list[at[0]:at[1]], letters) != "" {
			break
		}
		end = at[1]
	}
	return strings.TrimSpace(list[:end])
}

func group(pattern *regexp.Regexp, text string) string {
	if m := pattern.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

func word(r rune) bool { return r == '_' || unicode.In(r, unicode.L, unicode.N) }

// scraps are what texts are made of: what the patterns look for, what nearly is that, and what stands around it.
var scraps = strings.Split("answer is |answer is |answer is (|Answer is |the answer is (|ANSWER|answer|Answer|anſwer|"+
	"nswer:|:|: |：|(|)|[|]|"+
	"（|）|【|】|*|**|,|, |，| |  |\n|\r\n|\t|\u00a0|\x1c|"+
	"\u3000|.|A|B|C|D|E|F|G|H|I|J|K|Z|a|b|j|AB|FAB|not |and |the |is |É|é|ß|ǅ|Ⅷ|Ⓐ|_|1|٣|-|'|so |Because|(A)|[LETTER]|<letter>|答案", "|")

func TestReferenceRuleSetsAgreeWithTheirPatternsOnRandomTexts(t *testing.T) {
	const texts = 100_000
	random := rand.New(rand.NewPCG(14, 11))
	answered := map[string]int{}
	for range texts {
		var text strings.Builder
		for range 1 + random.IntN(14) {
			text.WriteString(scraps[random.IntN(len(scraps))])
		}
		options := 2 + random.IntN(9)
		it := item{Text: text.String(), Options: options, Gold: "A", Finish: backends.FinishStop}
		for name, reference := range references {
			set, err := grade.Lookup(name)
			if err != nil {
				t.Fatal(err)
			}
			checkMark(t, set, it)
			want, got := reference(it.Text, "ABCDEFGHIJ"[:options]), mark(set, it).Letter
			if got != want {
				t.Fatalf("%s, %d options: %q: got %q, the patterns have %q", name, options, it.Text, got, want)
			}
			if want != "" {
				answered[name]++
			}
		}
	}
	for name := range references {
		if share := float64(answered[name]) / texts; share < 0.04 || share > 0.95 {
			t.Errorf("%s answers %.2f of the texts: they try it too little", name, share)
		}
	}
}
