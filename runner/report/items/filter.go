package items

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/prompts/task"
	"proctor/runner/mark/format"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/results"
)

// A Filter chooses items. The zero Filter takes all. It is a flag.Value that may be given several times.
type Filter struct{ conditions []condition }

// A condition is KEY=VALUE, KEY=VALUE|VALUE, or either with != in place of =.
type condition struct {
	text   string // as given
	key    *key
	not    bool
	values []string
}

// none is the value of an absent thing: a right answer's tag, or the letter of an item without an answer.
const none = "none"

// A key is a property of an item.
type key struct {
	name, about string
	of          func(results.Answer) string
	// value returns the value that people mean by what they typed; its error lists the values that exist.
	value func(given string, runs []run) (string, error)
	// is says whether an item has the value; nil if comparing with of(item) is enough.
	is func(a results.Answer, value string) bool
}

var keys = []key{
	{name: "tag", about: "how it failed", of: func(a results.Answer) string { return cmp.Or(string(a.Tag), none) },
		value: among(always(grade.Tags, none))},
	{name: "cause", about: "why", of: func(a results.Answer) string { return cmp.Or(string(a.Mark.Cause), none) },
		value: among(always(backends.Causes, none))},
	{name: "subject", about: "or its beginning", of: func(a results.Answer) string { return a.Subject }, value: subject},
	{name: "letter", about: "the parsed answer", of: func(a results.Answer) string { return cmp.Or(a.Letter, none) }, value: among(letters)},
	{name: "gold", about: "the expected letter", of: func(a results.Answer) string { return a.Gold }, value: among(golds)},
	{name: "rule", about: "that found the answer", of: func(a results.Answer) string { return cmp.Or(a.Rule, none) }, value: among(rules)},
	{name: "right", about: "yes or no", of: func(a results.Answer) string { return format.YesNo(a.Correct) },
		value: among(always([]string{"yes", "no"}))},
	{name: "variant", about: "the option or order asked", of: func(a results.Answer) string { return cmp.Or(a.Variant, none) }, value: variant},
	{name: "kind", about: "of the option", of: func(a results.Answer) string { return cmp.Or(string(a.OptionKind), none) }, value: kind},
	{name: "id", about: "of an item or a question", value: existing, is: hasID},
	{name: "task", about: "of several runs", of: taskOf, value: taskName},
}

// Usage explains the syntax of a filter, for help.
func Usage() string {
	return "KEY=VALUE or KEY!=VALUE; with commas, all must match. VALUE|VALUE matches either, " + none +
		" a missing value. Keys: " + format.List(keys, func(k key) string { return k.name + " (" + k.about + ")" })
}

// Set adds conditions, separated by commas; values with a comma stand in double quotes, as in CSV.
func (f *Filter) Set(text string) error {
	fields := csv.NewReader(strings.NewReader(text))
	fields.LazyQuotes, fields.TrimLeadingSpace = true, true
	given, err := fields.Read()
	if err != nil {
		return fmt.Errorf("%s %q: give KEY=VALUE, as in tag=%s", setting.Where, text, grade.NoAnswer)
	}
	for _, each := range given {
		c, err := conditionOf(each)
		if err != nil {
			return err
		}
		f.conditions = append(f.conditions, c)
	}
	return nil
}

// String is the filter as given.
func (f *Filter) String() string {
	var texts []string
	for _, c := range f.conditions {
		texts = append(texts, c.text)
	}
	return strings.Join(texts, ",")
}

func conditionOf(text string) (condition, error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok || strings.TrimSpace(value) == "" {
		return condition{}, fmt.Errorf("%s: give KEY=VALUE, as in tag=%s", setting.Where.As(text), grade.NoAnswer)
	}
	name, not := strings.CutSuffix(name, "!")
	c := condition{text: text, not: not, values: strings.Split(value, "|")}
	name = strings.ToLower(strings.TrimSpace(name))
	i := slices.IndexFunc(keys, func(k key) bool { return k.name == name })
	if i < 0 {
		return condition{}, fmt.Errorf("%s: there is no key %q; there are %s", setting.Where.As(text), name,
			format.List(keys, func(k key) string { return k.name }))
	}
	c.key = &keys[i]
	return c, nil
}

// of compiles the filter for the items of some runs.
func (f *Filter) of(runs []run) (takes func(results.Answer) bool, err error) {
	var resolved []condition
	for _, c := range f.conditions {
		values := make([]string, len(c.values))
		for i, value := range c.values {
			if values[i], err = c.key.value(strings.TrimSpace(value), runs); err != nil {
				return nil, fmt.Errorf("%s: %w", setting.Where.As(c.text), err)
			}
		}
		c.values = values
		resolved = append(resolved, c)
	}
	return func(a results.Answer) bool {
		for i := range resolved {
			if resolved[i].holds(a) == resolved[i].not {
				return false
			}
		}
		return true
	}, nil
}

func (c *condition) holds(a results.Answer) bool {
	return slices.ContainsFunc(c.values, func(value string) bool {
		if c.key.is != nil {
			return c.key.is(a, value)
		}
		return c.key.of(a) == value
	})
}

// kind finds a kind of option. Runs whose items ask about no single option are refused: no item would pass.
func kind(given string, runs []run) (string, error) {
	if !slices.ContainsFunc(runs, func(r run) bool {
		return slices.ContainsFunc(r.Items, func(it *results.Item) bool { return it.Option() != "" })
	}) {
		return "", errors.New("only items that are true or false, as mmlu_pro_binary's, ask about one option")
	}
	return among(always(results.Kinds, none))(strings.ReplaceAll(given, " ", "_"), runs)
}

// mostNamed is how many variants an error names at most.
const mostNamed = 18

// variant finds a variant that some item has: an option's letter, or a pattern.
func variant(given string, runs []run) (string, error) {
	all := seen(runs, func(a results.Answer) string { return a.Variant })
	found, err := among(func([]run) []string { return append(slices.Clone(all), none) })(given, runs)
	if err != nil && len(all) > mostNamed {
		return "", fmt.Errorf("there is no %q; there are %d, such as %s", given, len(all), strings.Join(all[:3], ", "))
	}
	return found, err
}

// among finds a value, in any case, among those that the runs can have.
func among(there func([]run) []string) func(string, []run) (string, error) {
	return func(given string, runs []run) (string, error) {
		all := there(runs)
		if i := slices.IndexFunc(all, func(value string) bool { return strings.EqualFold(value, given) }); i >= 0 {
			return all[i], nil
		}
		return "", fmt.Errorf("there is no %q; there are %s", given, strings.Join(all, ", "))
	}
}

// always are the values that items of any run can have.
func always[T ~string](values []T, more ...string) func([]run) []string {
	var all []string
	for _, value := range values {
		all = append(all, string(value))
	}
	all = append(all, more...)
	return func([]run) []string { return all }
}

// seen are the values of the runs' items, each once, in order.
func seen(runs []run, of func(results.Answer) string) []string {
	values := map[string]bool{}
	for _, r := range runs {
		for a := range r.View(0).Answers() {
			values[of(a)] = true
		}
	}
	delete(values, "")
	return slices.Sorted(maps.Keys(values))
}

func golds(runs []run) []string {
	most := 0
	for _, r := range runs {
		for _, it := range r.Items {
			most = max(most, it.Options)
		}
	}
	return strings.Split("ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:most], "")
}

// letters are the possible answers; with rule sets that take any letter, more than the questions' options.
func letters(runs []run) []string {
	all := append(golds(runs), seen(runs, func(a results.Answer) string { return a.Letter })...)
	slices.Sort(all)
	return append(slices.Compact(all), none)
}

func rules(runs []run) []string {
	var all []string
	for _, r := range runs {
		for _, rule := range r.RuleSets[0].Rules {
			all = append(all, rule.Name)
		}
	}
	return append(format.Once(all), none)
}

func subject(given string, runs []run) (string, error) {
	all := seen(runs, func(a results.Answer) string { return a.Subject })
	name, err := task.Subject(given, all)
	if err != nil {
		return "", fmt.Errorf("%w; there are %s", err, strings.Join(all, ", "))
	}
	return name, nil
}

func taskOf(a results.Answer) string {
	name, _, _ := strings.Cut(a.ID, "/")
	return name
}

func taskName(given string, runs []run) (string, error) {
	there := tasks(runs)
	if named, err := task.Parse(given, nil); err == nil && slices.Contains(there, named[0].Name) {
		return named[0].Name, nil
	}
	return "", fmt.Errorf("there is no %q; there are %s", given, strings.Join(there, ", "))
}

func hasID(a results.Answer, id string) bool {
	return a.ID == id || short(a.ID) == id || strconv.Itoa(a.QuestionID) == id
}

// existing finds an id of some item.
func existing(given string, runs []run) (string, error) {
	for _, r := range runs {
		for a := range r.View(0).Answers() {
			if hasID(a, given) {
				return given, nil
			}
		}
	}
	return "", unknown(given, runs)
}
