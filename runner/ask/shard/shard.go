package shard

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"proctor/backends/setting"
	"proctor/runner/journal"
)

// A Part is one of a run's shards.
type Part struct {
	Index int // from 1
	Count int
}

func (p Part) String() string { return fmt.Sprintf("%d/%d", p.Index, p.Count) }

// Auto is the text that has [Parse] read the cluster's variables.
const Auto = "auto"

// Parse reads a part: I/N, or auto, which takes it from the environment.
//
// A task of a Slurm array (SLURM_ARRAY_TASK_ID) is one of SLURM_ARRAY_TASK_COUNT, its place counted from
// SLURM_ARRAY_TASK_MIN; the array's numbers must follow each other without a gap. A pod of a Kubernetes Indexed Job has its index,
// from 0, in JOB_COMPLETION_INDEX, and nothing from Kubernetes itself that says of how many: the manifest has to give its
// .spec.completions as JOB_COMPLETIONS.
func Parse(text string, getenv func(name string) string) (Part, error) {
	if text == Auto {
		return fromCluster(getenv)
	}
	index, count, both := strings.Cut(text, "/")
	i, wrong := strconv.Atoi(index)
	n, alsoWrong := strconv.Atoi(count)
	if !both || wrong != nil || alsoWrong != nil {
		return Part{}, fmt.Errorf("give I/N, as in 2/16 for the second of sixteen, or %s", Auto)
	}
	return Part{i, n}.checked()
}

// checked refuses a part that does not exist.
func (p Part) checked() (Part, error) {
	switch {
	case p.Count < 1 || p.Count > journal.MostShards:
		return Part{}, fmt.Errorf("a run has 1 to %d shards", journal.MostShards)
	case p.Index < 1 || p.Index > p.Count:
		return Part{}, fmt.Errorf("there is no shard %d of %d; they are numbered from 1", p.Index, p.Count)
	}
	return p, nil
}

func fromCluster(getenv func(string) string) (Part, error) {
	var part Part
	var wrong error
	number := func(name string) int {
		n, err := strconv.Atoi(getenv(name))
		if wrong == nil && (err != nil || n < 0 || n > 1<<31) {
			wrong = fmt.Errorf("%s is %q, not a number from 0", name, getenv(name))
		}
		return n
	}
	switch {
	case getenv("SLURM_ARRAY_TASK_ID") != "":
		id, first := number("SLURM_ARRAY_TASK_ID"), number("SLURM_ARRAY_TASK_MIN")
		last, count := number("SLURM_ARRAY_TASK_MAX"), number("SLURM_ARRAY_TASK_COUNT")
		if part = (Part{id - first + 1, count}); wrong == nil && last-first+1 != count {
			wrong = fmt.Errorf("the array has %d tasks between %d and %d, and shards need numbers without gaps: "+
				"submit it with --array=1-N; to run some of its tasks again, give I/N", count, first, last)
		}
	case getenv("JOB_COMPLETION_INDEX") == "":
		wrong = errors.New("neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX is set: this is not a task of a Slurm array and no pod of an " +
			"Indexed Job; give I/N")
	case getenv("JOB_COMPLETIONS") == "":
		wrong = errors.New("JOB_COMPLETION_INDEX is set, JOB_COMPLETIONS is not, and Kubernetes does not say how many there are; set it in " +
			"the manifest to the job's .spec.completions, or give I/N")
	default:
		part = Part{number("JOB_COMPLETION_INDEX") + 1, number("JOB_COMPLETIONS")}
	}
	if wrong != nil {
		return Part{}, wrong
	}
	return part.checked()
}

// A Question is the size of a question for dividing: its items stay together.
type Question struct {
	Subject string
	Tokens  int // expected of its items: their own parts of the prompts, and the completions; not the subject's preamble
}

// slack is the factor by which the largest shard may exceed the minimum to keep a subject whole.
const slack = 1.02

// Divide cuts questions, which are ordered by subject, into count runs of neighbours, none empty, and returns where each ends.
// preamble has the tokens that a subject costs each shard with any of its questions.
//
// The largest shard is as small as possible, or up to a fiftieth larger where shards can then end with a subject: a cut within a
// subject costs one more evaluation of its preamble.
func Divide(questions []Question, preamble map[string]int, count int) ([]int, error) {
	if count > len(questions) {
		return nil, fmt.Errorf("%s: %d shards of %d questions leave some without any: take %d shards at most", setting.Shard, count,
			len(questions), len(questions))
	}
	c := &cutter{questions, preamble, 0}
	least, most := 0, 0
	for i := range questions {
		least = max(least, c.alone(i)) // every shard has a question
		most += c.alone(i)
	}
	for least < most { // the smallest load for which count shards suffice
		c.load = least + (most-least)/2
		if c.shards(0, count) {
			most = c.load
		} else {
			least = c.load + 1
		}
	}
	c.load = int(float64(least) * slack)
	return c.ends(count), nil
}

// A cutter fills shards up to a load, one after the other.
type cutter struct {
	questions []Question
	preamble  map[string]int
	load      int // tokens
}

// alone is the cost of a question in a shard without others of its subject.
func (c *cutter) alone(i int) int { return c.preamble[c.questions[i].Subject] + c.questions[i].Tokens }

// fill is where a shard ends that begins at a question and takes as many as its load allows, and leaves one for each of the shards
// after it; subject is the last place before that where a subject ends, or from.
func (c *cutter) fill(from, after int) (end, subject int) {
	load := 0
	subject = from
	for end = from; end < len(c.questions)-after; end++ {
		tokens := c.questions[end].Tokens
		if begins := end == from || c.questions[end].Subject != c.questions[end-1].Subject; begins {
			tokens = c.alone(end)
			subject = end
		}
		if load += tokens; load > c.load {
			return end, subject
		}
	}
	if end == len(c.questions) || c.questions[end].Subject != c.questions[end-1].Subject {
		subject = end
	}
	return end, subject
}

// shards says whether count shards suffice for the questions from one on.
func (c *cutter) shards(from, count int) bool {
	for ; count > 0 && from < len(c.questions); count-- {
		from, _ = c.fill(from, count-1)
	}
	return from == len(c.questions)
}

// ends are the shards' ends. A shard ends with a subject where the other shards have room for the rest.
func (c *cutter) ends(count int) []int {
	var ends []int
	from := 0
	for left := count - 1; left >= 0; left-- {
		end, subject := c.fill(from, left)
		if subject > from && subject < end && c.shards(subject, left) {
			end = subject
		}
		ends, from = append(ends, end), end
	}
	return ends
}
