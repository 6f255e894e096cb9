package recount

import (
	"regexp"
	"slices"
	"strings"
)

// folded is a pattern of a word in ASCII letters of any case: Go's (?i) takes the long s for an S as well.
func folded(word string) string {
	var b strings.Builder
	for _, r := range word {
		if 'a' <= r && r <= 'z' {
			b.WriteString("[" + string(r) + strings.ToUpper(string(r)) + "]")
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func anyOf(words ...string) string {
	for i, word := range words {
		words[i] = folded(word)
	}
	return `(?:` + strings.Join(words, `|`) + `)`
}

var (
	colon  = `(?:[` + markup + ` \t]*[:：])`
	anchor = regexp.MustCompile(`\\boxed|` + folded("answer") + colon + `|` +
		anyOf("answer", "option", "choice") + `[` + markup + ` ]*` + folded("is"))
	theAnswerIs = regexp.MustCompile(folded("the answer is"))
	filler      = regexp.MustCompile(`^` + colon + `?[` + space + `]*(?:` +
		anyOf("most ", "likely ", "probably ", "clearly ", "indeed ", "option ", "choice ", "letter ") + `[` + space + `]*)*`)
	lastWord = regexp.MustCompile(`^([a-z])(?:\.?[ \t\r]*(?:\n|$)|\.[ \t\r])`)
	inWord   = regexp.MustCompile(`^[\pL\pN_]`)
)

// announced are the letters that the text announces after a pattern, in turn; "" for an announcement of several. Each is one that
// the question has, or up to J.
func announced(text string, pattern *regexp.Regexp, letters string) (all []string) {
	for _, at := range pattern.FindAllStringIndex(text, -1) {
		after := text[at[1]:]
		if end := strings.ToLower(text[at[0]:at[1]]); pattern == anchor && strings.HasSuffix(end, "is") && inWord.MatchString(after) {
			continue
		}
		after = filler.ReplaceAllString(after, "")
		if letter, found := answer(after, letters); found {
			all = append(all, letter)
		} else if m := lastWord.FindStringSubmatch(after); m != nil && (m[1] <= "j" || strings.Contains(letters, strings.ToUpper(m[1]))) {
			all = append(all, strings.ToUpper(m[1]))
		}
	}
	return all
}

func lastOf(letters []string) string {
	if len(letters) == 0 {
		return ""
	}
	return letters[len(letters)-1]
}

var (
	wrapped = regexp.MustCompile(`^((?:[` + space + markup + opening + `]*(?:\\boxed\{)?(?:\\fbox\{)?(?:\\text\{)?(?:\\textbf\{)?` +
		`(?:\\mathrm\{)?(?:\\mathbf\{)?(?:\\\()?(?:\\\[)?){0,8})([A-Za-z])`)
	tied     = regexp.MustCompile(`^['’\-‑][\pL\pN_]`)
	closed   = regexp.MustCompile(`^[` + closing + markup + `]`)
	prose    = regexp.MustCompile(`^[` + space + `]+\p{Ll}`)
	link     = regexp.MustCompile(`^[` + closing + markup + ` ]*(, or |or |/|, and |and |&|,)(?:option )?`)
	finished = regexp.MustCompile(`^[` + closing + markup + `]*(?:[` + stops + `\r\n]|$)`)
	around   = regexp.MustCompile(`^[` + closing + markup + `]*`)
)

// labelled is the letter that a text begins with, whatever wraps it, and what follows it. A capital is a word of its own, an I none
// that prose follows; a small letter is wrapped on both sides.
func labelled(text, letters string) (letter, rest string) {
	m := wrapped.FindStringSubmatch(text)
	if m == nil {
		return "", ""
	}
	letter, rest = m[2], text[len(m[0]):]
	small := letter == strings.ToLower(letter)
	switch upper := strings.ToUpper(letter); {
	case upper > "J" && !strings.Contains(letters, upper), tied.MatchString(rest):
		return "", ""
	case small && (strings.TrimSpace(m[1]) == "" || !closed.MatchString(rest)):
		return "", ""
	case !small && inWord.MatchString(rest), letter == "I" && prose.MatchString(rest):
		return "", ""
	default:
		return upper, rest
	}
}

// answer is labelled where found, but for "" where several are named.
func answer(text, letters string) (letter string, found bool) {
	letter, rest := labelled(text, letters)
	if letter != "" && continues(rest, letters) {
		return "", true
	}
	return letter, letter != ""
}

// continues says whether what follows a letter names another one: after "or" and a stroke in any case, else where that ends it.
func continues(rest, letters string) bool {
	m := link.FindStringSubmatch(rest)
	if m == nil {
		return false
	}
	second, after := labelled(rest[len(m[0]):], letters)
	if second == "" {
		return false
	}
	return slices.Contains([]string{", or ", "or ", "/"}, m[1]) || finished.MatchString(after) ||
		continues(around.ReplaceAllString(after, ""), letters)
}
