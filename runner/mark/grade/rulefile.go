package grade

import (
	_ "embed" // the help
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds of a rule file. Patterns are RE2's, so that matching takes time proportional to the text and to these.
const (
	MaxRuleBytes  = 64 << 10
	maxRules      = 32
	maxPattern    = 1000 // bytes
	maxStatements = 2000 // of a pattern, compiled
)

//go:embed rulefile.txt
var ruleHelp string

// RuleHelp describes rule files for people.
var RuleHelp = strings.TrimSuffix(ruleHelp, "\n")

var ruleName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@-]{0,62}$`)

// Parse reads a rule file; [RuleHelp] describes the format. Errors name the file and the line.
func Parse(file, text string) (RuleSet, error) {
	s := RuleSet{Text: text}
	if len(text) > MaxRuleBytes {
		return s, fmt.Errorf("%s: more than %d bytes: is this a rule file?", file, MaxRuleBytes)
	}
	seen := map[string]bool{}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := s.parseLine(line, seen); err != nil {
			return s, fmt.Errorf("%s:%d: %w", file, number, err)
		}
	}
	switch {
	case s.Name == "":
		return s, fmt.Errorf("%s:1: the rule set has no name: begin with a line such as name: mine", file)
	case len(s.Rules) == 0:
		return s, fmt.Errorf(`%s:%d: there is no pattern: add a line such as first answer is \(?([A-J])`, file, max(1, number))
	}
	return s, nil
}

func (s *RuleSet) parseLine(line string, seen map[string]bool) error {
	if !utf8.ValidString(line) {
		return fmt.Errorf("not UTF-8: save the file as UTF-8")
	}
	for _, c := range line {
		if c != '\t' && (unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c)) {
			return fmt.Errorf(`the invisible character %U: write it as \x{%x} in a pattern, or take it out`, c, c)
		}
	}
	for _, which := range []string{"first", "last"} {
		if pattern, ok := strings.CutPrefix(line, which+" "); ok {
			if len(s.Rules) == maxRules {
				return fmt.Errorf("more than %d patterns: join some with |", maxRules)
			}
			rule, err := patternRule(which+"-"+strconv.Itoa(len(s.Rules)+1), strings.TrimSpace(pattern), which == "last")
			s.Rules = append(s.Rules, rule)
			if s.About.Takes != "" {
				s.About.Takes += "; else "
			}
			s.About.Takes += "the " + which + " match of " + strings.TrimSpace(pattern)
			return err
		}
	}
	key, value, _ := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	if seen[key] {
		return fmt.Errorf("%s again: take one of them out", key)
	}
	seen[key] = true
	switch key {
	case "name":
		return s.named(value)
	case "thinking":
		if s.strip = true; value != "drop" {
			return fmt.Errorf("thinking %.60q: there is drop; leave the line out to read it", value)
		}
	case "stop":
		if s.cut = true; value != "cut" {
			return fmt.Errorf("stop %.60q: there is cut; leave the line out to read on", value)
		}
	default:
		return fmt.Errorf("%.60q is neither a setting (name, thinking, stop) nor a pattern behind first or last", line)
	}
	return nil
}

func (s *RuleSet) named(name string) error {
	if s.Name = name; !ruleName.MatchString(name) {
		return fmt.Errorf("name %.80q: give one of letters, digits, and . _ @ -", name)
	}
	if _, err := Lookup(name); err == nil {
		return fmt.Errorf("%s is built in: give this rule set a name of its own, as in my-%s", name, name)
	}
	return nil
}

// patternRule compiles a pattern.
func patternRule(name, pattern string, last bool) (Rule, error) {
	if len(pattern) > maxPattern {
		return Rule{}, fmt.Errorf("a pattern of %d bytes, more than %d: split it over several lines", len(pattern), maxPattern)
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return Rule{}, fmt.Errorf("%s: mend the pattern; it is RE2's, which has no lookaround and no \\1", strings.TrimPrefix(err.Error(),
			"error parsing regexp: "))
	}
	if n := tree.MaxCap(); n != 1 {
		return Rule{}, fmt.Errorf("the pattern has %d groups: give it one, which takes the letter, as in ([A-J]); (?:…) is a group that "+
			"takes nothing", n)
	}
	if !takesLetters(tree) {
		return Rule{}, fmt.Errorf("the group must take one letter, as in ([A-J]): nothing else can be an answer")
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil || len(program.Inst) > maxStatements {
		return Rule{}, fmt.Errorf("the pattern is too large once its repetitions are written out: make them smaller")
	}
	whole := "(" + pattern + ")"
	if last { // as much as possible before it: the match that begins last, in one pass
		whole = "(?s:.*)" + whole
	}
	compiled, err := regexp.Compile(whole)
	if err != nil {
		return Rule{}, fmt.Errorf("%w: mend the pattern", err)
	}
	return Rule{name, func(text string, _ int) (Match, bool) {
		match := compiled.FindStringSubmatchIndex(text)
		if match == nil || match[4] < 0 { // the group can be left out of a match
			return Match{}, false
		}
		letter := strings.ToUpper(text[match[4]:match[5]])
		if len(letter) != 1 { // such as the Kelvin sign, which (?i) matches with k
			return Match{}, true
		}
		return Match{letter[0], Span{match[2], match[5]}}, true
	}}, nil
}

// takesLetters says whether a pattern's group matches exactly one character, and only letters.
func takesLetters(tree *syntax.Regexp) bool {
	if tree.Op != syntax.OpCapture {
		return slices.ContainsFunc(tree.Sub, takesLetters)
	}
	taken := tree.Sub[0]
	letter := func(r rune) bool {
		return 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' || r == '\u212a' || r == 'ſ' // (?i) counts these to k and s
	}
	switch taken.Op {
	case syntax.OpLiteral:
		return len(taken.Rune) == 1 && letter(taken.Rune[0])
	case syntax.OpCharClass:
		for i := 0; i < len(taken.Rune); i += 2 {
			if !letter(taken.Rune[i]) || !letter(taken.Rune[i+1]) || taken.Rune[i] <= 'Z' && taken.Rune[i+1] > 'Z' {
				return false
			}
		}
		return len(taken.Rune) > 0
	}
	return false
}
