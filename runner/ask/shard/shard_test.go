package shard

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/scripts/tests/errortest"
)

// made makes questions of a number of subjects, with random lengths.
func made(subjects, each int, seed uint64) (questions []Question, preamble map[string]int) {
	random := rand.New(rand.NewPCG(seed, 1))
	preamble = map[string]int{}
	for s := range subjects {
		subject := fmt.Sprintf("subject %02d", s)
		preamble[subject] = 500 + random.IntN(1500)
		for range 1 + random.IntN(2*each) {
			questions = append(questions, Question{subject, 300 + random.IntN(400)})
		}
	}
	return questions, preamble
}

// loads are the tokens of each shard.
func loads(questions []Question, preamble map[string]int, ends []int) (loads []int, preambles int) {
	from := 0
	for _, end := range ends {
		load := 0
		for i := from; i < end; i++ {
			if i == from || questions[i].Subject != questions[i-1].Subject {
				load += preamble[questions[i].Subject]
				preambles++
			}
			load += questions[i].Tokens
		}
		loads, from = append(loads, load), end
	}
	return loads, preambles
}

func TestDivideLeavesNoQuestionOutAndNoShardEmpty(t *testing.T) {
	for seed := range uint64(40) {
		questions, preamble := made(1+int(seed%14), 30, seed)
		for count := 1; count <= min(40, len(questions)); count++ {
			ends, err := Divide(questions, preamble, count)
			assert.NilError(t, err)
			assert.Assert(t, len(ends) == count && ends[count-1] == len(questions),
				"seed %d: %d shards end at %v of %d questions", seed, count, ends, len(questions))
			for i, end := range ends {
				assert.Assert(t, end > slices.Concat([]int{0}, ends)[i], "seed %d: shard %d of %d is empty: %v", seed, i+1, count, ends)
			}
			again, _ := Divide(questions, preamble, count)
			assert.Assert(t, slices.Equal(ends, again), "a second division is another")
		}
	}
}

func TestDivideBalancesTokens(t *testing.T) {
	questions, preamble := made(14, 850, 7)
	for _, count := range []int{2, 3, 7, 16, 64, 200} {
		ends, err := Divide(questions, preamble, count)
		assert.NilError(t, err)
		each, preambles := loads(questions, preamble, ends)
		total := 0
		for _, load := range each {
			total += load
		}
		mean := float64(total) / float64(count)
		fullest := float64(slices.Max(each))
		assert.Check(t, fullest <= 1.08*mean, "%d shards: the fullest has %.0f tokens, the mean is %.0f", count, fullest, mean)
		assert.Check(t, preambles <= 14+count-1, "%d shards read %d preambles", count, preambles)
	}
}

func TestDivideEndsShardsWithSubjectsWhereItCan(t *testing.T) {
	var questions []Question
	preamble := map[string]int{"a": 1000, "b": 1000, "c": 1000, "d": 1000}
	for _, subject := range []string{"a", "b", "c", "d"} {
		for range 100 {
			questions = append(questions, Question{subject, 500})
		}
	}
	questions[0].Tokens += 700 // a has more than a quarter
	for count, want := range map[int][]int{2: {200, 400}, 4: {100, 200, 300, 400}} {
		ends, err := Divide(questions, preamble, count)
		assert.Check(t, err == nil && slices.Equal(ends, want), "%d shards end at %v, want %v (%v)", count, ends, want, err)
	}
}

func TestShardsWithoutQuestionsAreRefused(t *testing.T) {
	questions, preamble := made(1, 5, 1)
	_, err := Divide(questions, preamble, len(questions)+1)
	errortest.Says(t, err, "leave some without any")
}

func TestParse(t *testing.T) {
	slurm := func(id, first, last, count string) map[string]string {
		return map[string]string{
			"SLURM_ARRAY_TASK_ID": id, "SLURM_ARRAY_TASK_MIN": first, "SLURM_ARRAY_TASK_MAX": last, "SLURM_ARRAY_TASK_COUNT": count,
		}
	}
	for name, test := range map[string]struct {
		text string
		env  map[string]string
		want string // a part, or what the refusal says
	}{
		"the first of one":                     {"1/1", nil, "1/1"},
		"the last of many":                     {"16/16", nil, "16/16"},
		"numbered from 0":                      {"0/3", nil, "there is no shard 0 of 3; they are numbered from 1"},
		"one too many":                         {"4/3", nil, "there is no shard 4 of 3"},
		"letters":                              {"x/y", nil, "give I/N, as in 2/16"},
		"one number":                           {"3", nil, "give I/N, as in 2/16"},
		"nothing":                              {"", nil, "give I/N, as in 2/16"},
		"three numbers":                        {"1/2/3", nil, "give I/N, as in 2/16"},
		"no shards":                            {"1/0", nil, "a run has 1 to 1000000 shards"},
		"a negative number of shards":          {"1/-2", nil, "a run has 1 to 1000000 shards"},
		"outside of a cluster":                 {"auto", nil, "neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX is set"},
		"an array from 1":                      {"auto", slurm("3", "1", "4", "4"), "3/4"},
		"an array from 0":                      {"auto", slurm("0", "0", "15", "16"), "1/16"},
		"an array from 100":                    {"auto", slurm("103", "100", "103", "4"), "4/4"},
		"an array with gaps":                   {"auto", slurm("1", "1", "9", "5"), "numbers without gaps"},
		"a task alone of an array":             {"auto", slurm("7", "7", "7", "1"), "1/1"},
		"an array without its ends":            {"auto", map[string]string{"SLURM_ARRAY_TASK_ID": "2"}, `SLURM_ARRAY_TASK_MIN is ""`},
		"a pod":                                {"auto", map[string]string{"JOB_COMPLETION_INDEX": "0", "JOB_COMPLETIONS": "4"}, "1/4"},
		"a pod that does not know of how many": {"auto", map[string]string{"JOB_COMPLETION_INDEX": "0"}, "JOB_COMPLETIONS is not"},
		"a pod beyond the last": {"auto", map[string]string{"JOB_COMPLETION_INDEX": "4", "JOB_COMPLETIONS": "4"},
			"there is no shard 5 of 4"},
		"a pod with a letter": {"auto", map[string]string{"JOB_COMPLETION_INDEX": "a", "JOB_COMPLETIONS": "4"},
			`JOB_COMPLETION_INDEX is "a", not a number`},
	} {
		part, err := Parse(test.text, func(name string) string { return test.env[name] })
		got := part.String()
		if err != nil {
			got = err.Error()
		}
		assert.Check(t, got == test.want || (err != nil && strings.Contains(got, test.want)), "%s: %s, %s", name, got, test.want)
		assert.Check(t, err == nil || !strings.Contains(got, "\n"), "%s: several lines: %s", name, got)
	}
}
