package prompts

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/tools/txtar"
)

// MaxStyleBytes is the most that a style's file can have; a prompt's layout has some hundred.
const MaxStyleBytes = 64 << 10

var (
	styleName   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,62}@[0-9]{1,6}$`)
	styleLine   = regexp.MustCompile(`^([a-z]+):[ \t]*(.*?)[ \t]*$`)
	sectionList = []string{"system", "instruction", "shot", "shot-answer", "question", "lead-in"}
	keyList     = []string{"style", "summary", "items", "filler", "shots", "rules", "stop"}
)

// ParseStyle reads the text of a style's file; `proctor help style` says what it is. Errors name the file and the line. A style
// that has a built-in one's name must be that one, byte for byte.
func ParseStyle(file, text string) (Style, error) {
	s, err := parseStyle(file, text)
	if err != nil {
		return s, err
	}
	for _, built := range slices.Concat(Styles, Published) {
		if built.Name == s.Name && built.Text == text {
			return built, nil
		}
		if built.Name == s.Name {
			line := 1 + strings.Count(text[:strings.Index(text, "style:")], "\n")
			return s, fmt.Errorf("%s:%d: %s is built in and reads otherwise: give this one a name of its own, as in my-%s",
				file, line, s.Name, s.Name)
		}
	}
	return s, nil
}

func parseStyle(file, text string) (Style, error) {
	if err := checkText(file, text); err != nil {
		return Style{}, err
	}
	archive := txtar.Parse([]byte(text))
	p := styleParser{file: file, style: Style{Text: text, items: anyItems, Rules: "anchored"}, seen: map[string]int{}}
	if err := p.settings(string(archive.Comment)); err != nil {
		return Style{}, err
	}
	line := 1 + strings.Count(string(archive.Comment), "\n")
	for _, section := range archive.Files {
		if err := p.section(line, section.Name, string(section.Data)); err != nil {
			return Style{}, err
		}
		line += 1 + strings.Count(string(section.Data), "\n")
	}
	if p.style.question == nil {
		return Style{}, fmt.Errorf("%s:%d: the section question is missing: add a line -- question -- and the question below it", file,
			line)
	}
	if err := p.style.try(); err != nil {
		return Style{}, err
	}
	if p.style.items == verdicts && !p.style.asksOption {
		return Style{}, p.errorf(p.seen["section question"], "true-or-false items ask about an option, which the sections question and shot have to "+
			"say: write {{.Option}} in its place")
	}
	return p.style, nil
}

func checkText(file, text string) error {
	if len(text) > MaxStyleBytes {
		return fmt.Errorf("%s: more than %d bytes: is this a style?", file, MaxStyleBytes)
	}
	for i, c := range text {
		line := func() int { return 1 + strings.Count(text[:i], "\n") }
		if c == '\r' {
			return fmt.Errorf("%s:%d: a carriage return: save the file with line feeds alone as line ends", file, line())
		}
		if c != '\n' && c != '\t' && (unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c)) {
			return fmt.Errorf(`%s:%d: the invisible character %U: write it as {{"\u%04x"}}, or take it out`, file, line(), c, c)
		}
		if _, size := utf8.DecodeRuneInString(text[i:]); c == utf8.RuneError && size == 1 {
			return fmt.Errorf("%s:%d: not UTF-8: save the file as UTF-8", file, line())
		}
	}
	return nil
}

type styleParser struct {
	file  string
	style Style
	seen  map[string]int // the line of each setting and section
}

func (p *styleParser) errorf(line int, format string, a ...any) error {
	return fmt.Errorf("%s:%d: %s", p.file, line, fmt.Sprintf(format, a...))
}

// once refuses a key or section that the file has already.
func (p *styleParser) once(line int, what string) error {
	if before, seen := p.seen[what]; seen {
		return p.errorf(line, "%s again, after line %d: take one of them out", what, before)
	}
	p.seen[what] = line
	return nil
}

func (p *styleParser) settings(head string) error {
	line := 0
	for text := range strings.Lines(head) {
		line++
		text = strings.TrimRight(text, "\n")
		if strings.TrimSpace(text) == "" || strings.HasPrefix(text, "#") {
			continue
		}
		match := styleLine.FindStringSubmatch(text)
		if match == nil {
			return p.errorf(line, "%.60q is not a setting, such as style: mine@1, and not a section marker, such as -- question --", text)
		}
		if err := p.setting(line, match[1], match[2]); err != nil {
			return err
		}
	}
	if p.style.Name == "" {
		return p.errorf(1, "the setting style is missing: begin with a line such as style: mine@1")
	}
	return nil
}

func (p *styleParser) setting(line int, key, value string) error {
	if !slices.Contains(keyList, key) {
		return p.errorf(line, "there is no setting %s; there are %s", key, strings.Join(keyList, ", "))
	}
	if key != "stop" {
		if err := p.once(line, key); err != nil {
			return err
		}
	}
	if value == "" {
		return p.errorf(line, "%s has no value: give one, or take the line out", key)
	}
	s := &p.style
	switch key {
	case "style":
		if s.Name = value; !styleName.MatchString(value) {
			return p.errorf(line, "style %.80q is not a name and version, such as mine@1", value)
		}
	case "summary":
		s.Summary = value
	case "items":
		if s.items = items(value); !slices.Contains([]items{anyItems, questions, verdicts}, s.items) {
			return p.errorf(line, "items %.60q: there are %s, %s and %s", value, anyItems, questions, verdicts)
		}
	case "filler":
		if s.keepsFiller = value == "keep"; value != "keep" && value != "drop" {
			return p.errorf(line, "filler %.60q: there are keep and drop", value)
		}
	case "shots":
		if s.shotsOfSet = value == "set"; value != "set" && value != "subject" {
			return p.errorf(line, "shots %.60q: there are set and subject", value)
		}
	case "rules":
		s.Rules = value
	case "stop":
		return p.stop(line, value)
	}
	return nil
}

func (p *styleParser) stop(line int, value string) error {
	if strings.HasPrefix(value, `"`) {
		unquoted, err := strconv.Unquote(value)
		if err != nil || !utf8.ValidString(unquoted) {
			return p.errorf(line, `stop %.60s is no quoted text, such as "Question:" or "\n\n"`, value)
		}
		value = unquoted
	}
	if value == "" {
		return p.errorf(line, "an empty stop string would end every completion: take the line out")
	}
	p.style.Stop = append(p.style.Stop, value)
	return nil
}

// section compiles a section, whose marker stands on the given line.
func (p *styleParser) section(line int, name, text string) error {
	s := &p.style
	section, known := map[string]struct {
		to **section
		of scope
	}{
		"system": {&s.system, ofSubject}, "instruction": {&s.instruction, ofSubject}, "shot": {&s.shot, ofQuestion},
		"shot-answer": {&s.shotAnswer, ofShot}, "question": {&s.question, ofQuestion}, "lead-in": {&s.leadIn, ofQuestion},
	}[name]
	if !known {
		return p.errorf(line, "there is no section %.60q; there are %s", name, strings.Join(sectionList, ", "))
	}
	if err := p.once(line, "section "+name); err != nil {
		return err
	}
	var err error
	*section.to, err = parseSection(p.file, line+1, strings.TrimSuffix(text, "\n"), section.of)
	return err
}

// RulesLine is the line of a style's file that names its rule set, 0 where none does.
func (s Style) RulesLine() int {
	line := 0
	for text := range strings.Lines(s.Text) {
		if line++; strings.HasPrefix(text, "-- ") {
			return 0
		}
		if strings.HasPrefix(text, "rules:") {
			return line
		}
	}
	return 0
}
