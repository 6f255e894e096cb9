package prompts_test

import (
	"testing"

	"proctor/prompts/dataset"
	"proctor/scripts/tests/sharedtest"
)

func published(tb testing.TB) *dataset.Set {
	tb.Helper()
	return open(tb, sharedtest.Path(tb, "data/mmlu-pro"))
}

func open(tb testing.TB, ref string) *dataset.Set {
	tb.Helper()
	set, err := dataset.Open(ref, dataset.Options{Folder: tb.TempDir()})
	if err != nil {
		tb.Fatal(err)
	}
	return set
}
