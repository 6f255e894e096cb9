package flags

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"
)

// Count is a number from 1.
func Count(name string, to *int, otherwise int, usage, category string) cli.Flag {
	return &cli.IntFlag{
		Name: name, Value: otherwise, Destination: to, Usage: usage, Category: category,
		Action: Valid(name, func(n int) bool { return n > 0 }, "it must be at least 1"),
	}
}

// sliceFlag is a flag that can be given several times, and says so less lengthily than the library does.
type sliceFlag struct{ *cli.StringSliceFlag }

func (f sliceFlag) String() string {
	return (&cli.StringFlag{Name: f.Name, Aliases: f.Aliases, Usage: f.Usage, DefaultText: f.DefaultText}).String()
}

// List is a flag whose values each stand for some of a list.
func List[T any](to *[]T, parse func(string) ([]T, error), name, alias, otherwise, usage, category string) cli.Flag {
	flag := &cli.StringSliceFlag{Name: name, Usage: usage, Category: category, DefaultText: otherwise}
	if alias != "" {
		flag.Aliases = strings.Split(alias, ",")
	}
	flag.Action = func(_ *cli.Context, texts []string) error {
		for _, text := range texts {
			values, err := parse(text)
			if err != nil {
				return fmt.Errorf("--%s %w", name, err)
			}
			*to = append(*to, values...)
		}
		return nil
	}
	return sliceFlag{flag}
}

// SpanWithin reads ranges whose numbers are all within bounds, and words.
func SpanWithin(least, most int, why string, words map[string]int) func(string) ([]int, error) {
	return func(text string) ([]int, error) {
		if n, known := words[text]; known {
			return []int{n}, nil
		}
		numbers, err := Span(text)
		if err == nil && (slices.Min(numbers) < least || slices.Max(numbers) > most) {
			err = fmt.Errorf("%s: %s", text, why)
		}
		return numbers, err
	}
}

// spans is llama-bench's form of a range: FIRST, FIRST-LAST, FIRST-LAST+STEP or FIRST-LAST*FACTOR.
var spans = regexp.MustCompile(`^(\d{1,9})(?:-(\d{1,9})(?:([+*])(\d{1,9}))?)?$`)

// maxSpan is more values than anybody measures.
const maxSpan = 1000

// Span returns the numbers of a range.
func Span(text string) ([]int, error) {
	part := spans.FindStringSubmatch(text)
	if part == nil {
		return nil, fmt.Errorf("%q: give a number, or a range as in 128-512+128 or 1-16*2", text)
	}
	number := func(text string, otherwise int) int {
		n, err := strconv.Atoi(text)
		if err != nil { // not there
			return otherwise
		}
		return n
	}
	first := number(part[1], 0)
	last, step := number(part[2], first), number(part[4], 1)
	var all []int
	for n := first; n <= last; {
		all = append(all, n)
		next := n + step
		if part[3] == "*" {
			next = n * step
		}
		if next <= n || len(all) > maxSpan {
			return nil, fmt.Errorf("%q: a range that does not end, or has more than %d numbers", text, maxSpan)
		}
		n = next
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%q: the range ends before it begins", text)
	}
	return all, nil
}
