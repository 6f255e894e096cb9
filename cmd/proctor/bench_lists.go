package main

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"
)

// each returns every one of all with every value set: a grid's next dimension, which changes fastest.
func each[C, V any](all []C, values []V, set func(*C, V)) []C {
	var grid []C
	for _, one := range all {
		for _, value := range values {
			set(&one, value)
			grid = append(grid, one)
		}
	}
	return grid
}

// listFlag is a flag that can be given several times, and says so less lengthily than the library does.
type listFlag struct{ *cli.StringSliceFlag }

func (f listFlag) String() string {
	return (&cli.StringFlag{Name: f.Name, Aliases: f.Aliases, Usage: f.Usage, DefaultText: f.DefaultText}).String()
}

// lists reads flags that are lists, and remembers which are not the default.
type lists struct {
	flags *cli.Context
	show  []string
	err   error // the first
}

// list reads a flag's values, each of which stands for some; key is a row's word for the setting.
func list[T comparable](l *lists, name, key string, parse func(string) ([]T, error), otherwise ...T) []T {
	var all []T
	for _, text := range l.flags.StringSlice(name) {
		values, err := parse(text)
		if err != nil {
			l.fail(fmt.Errorf("--%s %w", name, err))
		}
		all = append(all, values...)
	}
	if len(all) == 0 {
		return otherwise
	}
	if !slices.Equal(all, otherwise) {
		l.show = append(l.show, key)
	}
	return all
}

func (l *lists) words(name, key, otherwise string) []string {
	return list(l, name, key, func(word string) ([]string, error) { return []string{word}, nil }, otherwise)
}

// numbers reads numbers and ranges.
func (l *lists) numbers(name, key string, otherwise ...int) []int {
	return list(l, name, key, span, otherwise...)
}

// atLeastOne is numbers for what cannot be 0, but by default.
func (l *lists) atLeastOne(name, key string, otherwise int) []int {
	all := l.numbers(name, key, otherwise)
	if least := slices.Min(all); least < 1 && l.flags.IsSet(name) {
		l.fail(fmt.Errorf("--%s %d: each must be at least 1", name, least))
	}
	return all
}

// choices reads numbers from 1, ranges, and words that stand for other numbers, of which auto is the default.
func (l *lists) choices(name string, words map[string]int) []int {
	return list(l, name, name, func(text string) ([]int, error) {
		if n, known := words[text]; known {
			return []int{n}, nil
		}
		numbers, err := span(text)
		if err == nil && numbers[0] < 1 {
			err = fmt.Errorf("%s: give numbers from 1, or %s", text, strings.Join(slices.Sorted(maps.Keys(words)), " or "))
		}
		return numbers, err
	}, words[auto])
}

func (l *lists) fail(err error) { l.err = cmp.Or(l.err, err) }

// spans is llama-bench's form of a range: FIRST, FIRST-LAST, FIRST-LAST+STEP or FIRST-LAST*FACTOR.
var spans = regexp.MustCompile(`^(\d{1,9})(?:-(\d{1,9})(?:([+*])(\d{1,9}))?)?$`)

// maxSpan is more values than anybody measures.
const maxSpan = 1000

// span returns the numbers of a range.
func span(text string) ([]int, error) {
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
