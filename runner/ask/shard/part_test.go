package shard

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

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
		assert.Check(t, got == test.want || (err != nil && strings.Contains(got, test.want)),
			"%s: %s, want %s", name, got, test.want)
		assert.Check(t, err == nil || !strings.Contains(got, "\n"), "%s: several lines: %s", name, got)
	}
}
