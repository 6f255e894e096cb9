package shard

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Part is one of a run's shards.
type Part struct {
	Index int // from 1
	Count int
}

func (p Part) String() string { return fmt.Sprintf("%d/%d", p.Index, p.Count) }

// Auto is the text that has [Parse] read the cluster's variables.
const Auto = "auto"

// Most is the largest number of shards.
const Most = 1_000_000

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

// checked refuses a part that there is not.
func (p Part) checked() (Part, error) {
	switch {
	case p.Count < 1 || p.Count > Most:
		return Part{}, fmt.Errorf("a run has 1 to %d shards", Most)
	case p.Index < 1 || p.Index > p.Count:
		return Part{}, fmt.Errorf("there is no shard %d of %d; they are numbered from 1", p.Index, p.Count)
	}
	return p, nil
}

func fromCluster(getenv func(string) string) (Part, error) {
	switch {
	case getenv("SLURM_ARRAY_TASK_ID") != "":
		return fromSlurm(getenv)
	case getenv("JOB_COMPLETION_INDEX") != "":
		return fromKubernetes(getenv)
	}
	return Part{}, errors.New("neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX is set: this is no task of a Slurm " +
		"array and no pod of an Indexed Job; give I/N")
}

func fromSlurm(getenv func(string) string) (Part, error) {
	values, err := numbers(getenv, "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_COUNT")
	if err != nil {
		return Part{}, err
	}
	id, first, last, count := values[0], values[1], values[2], values[3]
	if last-first+1 != count {
		return Part{}, fmt.Errorf("the array has %d tasks between %d and %d, and shards need numbers without gaps: "+
			"submit it with --array=1-N; to run some of its tasks again, give I/N", count, first, last)
	}
	return Part{id - first + 1, count}.checked()
}

func fromKubernetes(getenv func(string) string) (Part, error) {
	if getenv("JOB_COMPLETIONS") == "" {
		return Part{}, errors.New("JOB_COMPLETION_INDEX is set, JOB_COMPLETIONS is not, and Kubernetes " +
			"does not say how many there are; set it in the manifest to the job's .spec.completions, or give I/N")
	}
	values, err := numbers(getenv, "JOB_COMPLETION_INDEX", "JOB_COMPLETIONS")
	if err != nil {
		return Part{}, err
	}
	return Part{values[0] + 1, values[1]}.checked()
}

func numbers(getenv func(string) string, names ...string) ([]int, error) {
	var all []int
	for _, name := range names {
		n, err := strconv.Atoi(getenv(name))
		if err != nil || n < 0 || n > 1<<31 {
			return nil, fmt.Errorf("%s is %q, not a number from 0", name, getenv(name))
		}
		all = append(all, n)
	}
	return all, nil
}
