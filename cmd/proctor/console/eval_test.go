package console

import (
	"reflect"
	"testing"

	"proctor/prompts/dataset"
	"proctor/scripts/tests/errortest"
)

func TestLimitsAreNumbersNumbersOfEachSubjectOrShares(t *testing.T) {
	for text, want := range map[string]dataset.Selection{
		"700": {Limit: 700}, "50/subject": {PerSubject: 50}, "0.1": {Share: 0.1}, "10%": {Share: 0.1}, "1.0": {Share: 1}, "1": {Limit: 1},
	} {
		var got dataset.Selection
		if err := limitOf(text, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"0", "-3", "0/subject", "0.1/subject", "1.5", "0.0", "101%", "all", "", "NaN", "Inf"} {
		var got dataset.Selection
		errortest.For(t, text, limitOf(text, &got), "--limit "+text+": ask at least 1 question")
	}
}
