package questions

import (
	"fmt"
	"strings"
)

// Knowledge is a question that looks answerable and is not: no option is right.
func (s Source) Knowledge(subject string) Question {
	q := Question{Subject: subject, Gold: -1}
	q.Text = capital(s.slot("question"))
	switch u := s.Float64(); {
	case u < 0.05:
		q.Text = s.Paragraph(s.between(6, 16)) + choose(s, " ", "\n", "\n\n") + q.Text
	case u < 0.4:
		q.Text = s.Paragraph(s.between(1, 4)) + choose(s, " ", " ", "\n") + q.Text
	}
	q.Options = s.options(s.optionCount())
	return q
}

// optionCount follows the benchmark: usually ten, else three to nine.
func (s Source) optionCount() int {
	if s.chance(0.75) {
		return 10
	}
	return s.between(3, 9)
}

// options are alike in kind and all different.
func (s Source) options(count int) []string {
	var kind func() string
	switch u := s.Float64(); {
	case u < 0.12:
		unit := choose(s, "", " "+s.slot("unit"))
		kind = func() string { return s.slot("num") + unit }
	case u < 0.16:
		kind = func() string { return fmt.Sprint(s.between(0, 40)) }
	case u < 0.24:
		kind = func() string { return s.slot("tex") }
	case u < 0.28:
		values := strings.Split(s.draw("values"), "/")
		joint := choose(s, ", ", ", ", " and ", "; ")
		kind = func() string { return choose(s, values...) + joint + choose(s, values...) + s.tail(joint, values) }
	case u < 0.33:
		start := capital(s.slot("np"))
		kind = func() string { return start + " " + s.slot("vp") }
	case u < 0.38:
		kind = func() string {
			return strings.Join([]string{s.slot("word"), s.slot("n"), s.slot("adj"), s.slot("n")}, ", ")
		}
	default:
		pattern, upper := s.draw("option"), s.chance(0.6)
		kind = func() string {
			text := s.Expand(pattern)
			if s.chance(0.15) {
				text = s.slot("option")
			}
			if upper {
				return capital(text)
			}
			return text
		}
	}
	return s.distinct(count, kind)
}

// distinct draws until it has count different texts.
func (s Source) distinct(count int, kind func() string) []string {
	seen := map[string]bool{}
	list := make([]string, 0, count)
	for tries := 0; len(list) < count; tries++ {
		text := kind()
		if tries > 4*count {
			text += " " + s.slot("n")
		}
		if text != "" && !seen[text] {
			seen[text] = true
			list = append(list, text)
		}
	}
	return list
}

// ShortOptions are a word or two each.
func (s Source) ShortOptions(count int) []string {
	pattern := choose(s, "{n}", "{adj} {n}", "{word}", "{ving}", "{np}", "{ns}")
	return s.distinct(count, func() string { return s.Expand(pattern) })
}

func (s Source) tail(joint string, values []string) string {
	if s.chance(0.3) {
		return joint + choose(s, values...)
	}
	return ""
}

// Reasoning is a chain of thought as other authors write it: any length, leading anywhere.
func (s Source) Reasoning(subject string) string {
	var parts []string
	if s.chance(0.5) {
		parts = append(parts, "We refer to Wikipedia articles on "+subject+" for help.")
	}
	count := s.between(1, 3)
	if s.chance(0.3) {
		count = s.between(4, 9)
	}
	parts = append(parts, s.Paragraph(count))
	return strings.Join(parts, choose(s, " ", " ", " ", "\n"))
}
