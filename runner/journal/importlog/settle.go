package importlog

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"proctor/prompts/task"
)

// circular is the task of logs that ask questions in several orders of their options.
var circular = task.All[slices.IndexFunc(task.All, func(t task.Task) bool { return t.Variants == task.EachOrder })]

// settle finds rows that ask one question in several orders, or repeatedly: they depend on one another and must not count as separate
// questions.
func (l *Log) settle(samples []sample) ([]sample, error) {
	samples = l.latest(samples)
	arrange := l.order
	if samples[0].about != nil {
		arrange = l.arrangeOptions
	}
	if err := arrange(samples); err != nil {
		return nil, err
	}
	if l.Header.Repeats = repeats(samples); l.Header.Repeats == 0 {
		for i := range samples {
			samples[i].asking, samples[i].repeat = 0, 1
		}
		samples = l.latest(samples)
	}
	return samples, nil
}

// join gives rows with the same question and options one id, if at least half of the log's ids have such a twin. With fewer they are
// questions that a set has twice: the published set has 158 such pairs among 12,032.
func join(samples []sample) {
	ids := map[string][]int{}
	for i := range samples {
		if key := samples[i].content(); !slices.Contains(ids[key], samples[i].id) {
			ids[key] = append(ids[key], samples[i].id)
		}
	}
	all, shared := 0, 0
	for _, same := range ids {
		all += len(same)
		if len(same) > 1 {
			shared += len(same)
		}
	}
	if 2*shared < all {
		return
	}
	for i := range samples {
		samples[i].id = ids[samples[i].content()][0]
	}
}

// order names the order of each sample's options, where questions are asked in several, and makes the log a circular run.
func (l *Log) order(samples []sample) error {
	join(samples)
	first, orders := map[int]*sample{}, map[int][]string{}
	several := 0
	for i := range samples {
		s := &samples[i]
		if first[s.id] == nil {
			first[s.id] = s
		}
		if s.variant = first[s.id].orderIn(s); s.variant == "" {
			return fmt.Errorf("question %d has the same options in several rows, but not the same right one: correct its gold letters in the log", s.id)
		}
		if names := orders[s.id]; !slices.Contains(names, s.variant) {
			orders[s.id] = append(names, s.variant)
			if len(names) == 1 {
				several++
			}
		}
	}
	if several == 0 {
		for i := range samples {
			samples[i].variant = ""
		}
		return nil
	}
	if 2*several < len(orders) {
		return fmt.Errorf("%d of its %d questions are asked in several orders of their options, the others in one: leave one row of each "+
			"question in the log", several, len(orders))
	}
	l.Header.Task, l.Header.Pattern = circular.Name, task.Circular
	for _, id := range slices.Sorted(maps.Keys(orders)) {
		if !slices.ContainsFunc(orders[id], func(name string) bool { return !task.IsRotation(name) }) {
			continue
		}
		l.Header.Pattern = task.AllPossible
		if len(orders[id]) < task.Orders(len(first[id].options)) {
			return fmt.Errorf("question %d has its options in orders that are neither rotations of the first one nor all that there are: "+
				"leave one row of each question in the log", id)
		}
	}
	return nil
}

// orderIn names the order that other has the question's options in, as circular runs do: BCDA where the first of four options comes
// second. It is empty where the right option is a different one. Where two options are equal, a rotation is preferred.
func (s *sample) orderIn(other *sample) (name string) {
	letters := circular.Letters[:len(s.options)]
	for shift := range s.options {
		name = letters[shift:] + letters[:shift]
		turned := slices.Concat(other.options[shift:], other.options[:shift])
		if name[s.gold[0]-'A'] == other.gold[0] && slices.Equal(turned, s.options) {
			return name
		}
	}
	name = ""
	for i, option := range s.options {
		place := slices.IndexFunc([]byte(letters), func(l byte) bool {
			return other.options[l-'A'] == option && strings.IndexByte(name, l) < 0 && (l == other.gold[0]) == (letters[i] == s.gold[0])
		})
		if place < 0 {
			return ""
		}
		name += letter(place)
	}
	return name
}

// repeats numbers each item's repeats and returns how many there are; 0 for one, or where items differ in that.
func repeats(samples []sample) int {
	type item struct {
		id      int
		variant string
	}
	count := map[item]int{}
	for i := range samples {
		s := &samples[i]
		key := item{s.id, s.variant}
		count[key]++
		s.repeat = count[key]
	}
	most := slices.Max(slices.Collect(maps.Values(count)))
	if most == 1 || len(samples) < most*len(count) {
		return 0
	}
	return most
}
