package recount

import (
	"bufio"
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// The figures of the JSON report once more, straight from the definitions and from nothing but a journal's lines: no package of
// proctor's has a part in what follows.

type plainItem struct {
	ID       string
	Question int `json:"question_id"`
	Subject  string
	Variant  string
	Options  int
	Original int `json:"options_original"`
	Gold     string
	Prompt   string
	Text     string
	Finish   string
	Stop     string
	Cause    string
	Attempt  int
	Repeat   int
	Began    time.Time
	New      float64 `json:"new_tokens"`
	Cap      float64 `json:"max_tokens"` // that it was asked under; 0 for the first one

	Letters []float64 `json:"letter_logprobs"`
	Usage   struct {
		Prompt   float64 `json:"prompt_tokens"`
		Reused   float64 `json:"reused_tokens"`
		Output   float64 `json:"output_tokens"`
		Thinking float64 `json:"thinking_tokens"`
		Drafted  float64 `json:"drafted_tokens"`
		Accepted float64 `json:"accepted_tokens"`
	}
	Timing struct {
		Prefill float64 `json:"prefill_ns"`
		Decode  float64 `json:"decode_ns"`
		First   float64 `json:"first_token_ns"`
		Total   float64 `json:"total_ns"`
	}

	Closed bool `json:"think_closed"`
	Forks  []struct {
		Budget, Shared int
		Text, Cause    string
		Finish, Stop   string
		Output         float64 `json:"output_tokens"`
		Thinking       float64 `json:"thinking_tokens"`
	}

	letter   string
	right    float64
	failed   bool
	unclosed bool   // its thinking never ended
	said     string // what the rules read of its text
	cause    string // how it ended, where not by itself, or why it has no letter
}

type plainRun struct {
	task, pattern string
	repeats       int
	planned, load float64
	strip         bool // the style leaves thinking out
	think         string
	preambles     map[string]string
	thinking      []struct{ Open, Close string } // marks
	budgets       []int                          // of thinking, in tokens
	stop          []string
	caps          []float64 // that held one after the other
	seed          uint64    // of the draw

	interims []*plainRun // what was there at each, and the run's own rule set
	own      string
	most     int                // options of a question of the set; 0 where the header does not say
	lines    []*plainItem       // all of them
	items    []*plainItem       // the latest of each id
	want     map[string]float64 // by the path in the report
	trials   map[string]trial   // of each interval, by its path
}

func readPlainly(journal []byte) *plainRun {
	r := &plainRun{want: map[string]float64{}, trials: map[string]trial{}}
	at := map[string]*plainItem{}
	for lines := bufio.NewReader(bytes.NewReader(journal)); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var kind struct {
			Kind, Task, Pattern string
			Repeats             int  `json:"repeats"`
			Strip               bool `json:"strip_thinking"`
			Think               string
			Preambles           map[string]string
			Thinking            []struct{ Open, Close string } `json:"thinking_marks"`
			Budgets             []int                          `json:"think_budgets"`
			Dataset             struct{ Options int }
			Sampling            struct {
				Stop []string
				Cap  float64 `json:"max_tokens"`
			}
			History []struct {
				Cap  float64 `json:"max_tokens"`
				Load float64 `json:"load_ns"`
			}
			Selection struct {
				Items float64
				Seed  uint64
			}
			plainItem
		}
		if err := json.Unmarshal(line, &kind); err != nil {
			panic(err)
		}
		if kind.Kind == "run" {
			r.task, r.pattern = kind.Task, kind.Pattern
			r.repeats, r.planned = kind.Repeats, kind.Selection.Items
			r.stop, r.strip = kind.Sampling.Stop, kind.Strip
			r.think, r.preambles = kind.Think, kind.Preambles
			switch r.own = "tiger-strict"; {
			case r.task == "mmlu_pro_binary":
				r.own = "binary"
			case strings.HasSuffix(r.task, "_direct"):
				r.own = "direct"
			}
			r.seed = kind.Selection.Seed
			r.budgets = kind.Budgets
			r.caps = []float64{kind.Sampling.Cap}
			for i, part := range kind.History {
				if i == 0 {
					r.load, r.caps = part.Load, nil
				}
				if !slices.Contains(r.caps, part.Cap) {
					r.caps = append(r.caps, part.Cap)
				}
			}
			r.thinking, r.most = append(kind.Thinking, struct{ Open, Close string }{"<think>", "</think>"}), kind.Dataset.Options
			continue
		}
		if kind.Kind == "look" {
			then := *r
			then.want, then.lines, then.interims = map[string]float64{}, slices.Clone(r.lines), nil
			r.interims = append(r.interims, then.latest(at))
			continue
		}
		it := kind.plainItem
		it.failed = it.Finish == "error"
		r.lines = append(r.lines, &it)
		if it.Repeat == 0 {
			it.Repeat = 1
		}
		r.read(&it, r.own)
		at[it.ID] = &it // a later line stands in the place of an earlier one
	}
	return r.latest(at)
}

// latest sets the run's items.
func (r *plainRun) latest(at map[string]*plainItem) *plainRun {
	for _, it := range at {
		r.items = append(r.items, it)
	}
	slices.SortFunc(r.items, func(a, b *plainItem) int { return strings.Compare(a.ID, b.ID) })
	return r
}

// by groups items by a key, the keys in order.
func by[K int | string](items []*plainItem, key func(*plainItem) K) (groups [][]*plainItem) {
	at := map[K][]*plainItem{}
	var keys []K
	for _, it := range items {
		if at[key(it)] == nil {
			keys = append(keys, key(it))
		}
		at[key(it)] = append(at[key(it)], it)
	}
	slices.Sort(keys)
	for _, k := range keys {
		groups = append(groups, at[k])
	}
	return groups
}

func questionOf(it *plainItem) int   { return it.Question }
func subjectOf(it *plainItem) string { return it.Subject }

func keep(items []*plainItem, holds func(*plainItem) bool) []*plainItem {
	return slices.DeleteFunc(slices.Clone(items), func(it *plainItem) bool { return !holds(it) })
}

func scoredOf(items []*plainItem) []*plainItem {
	return keep(items, func(it *plainItem) bool { return !it.failed })
}
func answeredOf(items []*plainItem) []*plainItem {
	return keep(items, func(it *plainItem) bool { return it.letter != "" })
}

func total(items []*plainItem, of func(*plainItem) float64) (sum float64) {
	for _, it := range items {
		sum += of(it)
	}
	return sum
}

func rightOf(it *plainItem) float64  { return it.right }
func chanceOf(it *plainItem) float64 { return 1 / float64(it.Options) }
func countOf(*plainItem) float64     { return 1 }
