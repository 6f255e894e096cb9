package compare

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/pairs/pairstest"
)

// rotated is a circular run of two subjects in which the first so many questions are right in all orders, the others in the original.
func rotated(name string, right int) pairstest.Run {
	h := journaltest.Header("mmlu_pro_circular")
	h.Model.Quantization = name
	h, records := journaltest.Circular(h, make([]int, 12), func(int) []string { return journaltest.Rotations(4) },
		func(q int, pattern, gold string) journaltest.Answer {
			if q < right || pattern == "ABCD" {
				return journaltest.Answer{Letter: gold}
			}
			return journaltest.Answer{}
		})
	for i := range records {
		if records[i].QuestionID%3 == 0 {
			records[i].Subject = "law"
		}
	}
	return pairstest.Run{Header: h, Records: records}
}

func TestMetricsOfSeveralRunsStandSideBySide(t *testing.T) {
	runs := []pairstest.Run{rotated("Q8_0", 9), rotated("Q6_K", 6), rotated("Q4_K_M", 2)}
	c := compared(t, pairs.Options{Metrics: []string{"acc_origin", "perf_circular"}}, runs...)
	if len(c.Metrics) != 2 || c.Metrics[0].Name != "acc_origin" || c.Metrics[1].Name != "perf_circular" {
		t.Fatalf("metrics %+v", c.Metrics)
	}
	perf := c.Metrics[1]
	for i, want := range []float64{9.0 / 12, 6.0 / 12, 2.0 / 12} {
		pairstest.Near(t, "perf_circular", perf.Runs[i].Value, want)
		pairstest.Near(t, "acc_origin", c.Metrics[0].Runs[i].Value, 1)
		sum := 0.0
		for _, subject := range perf.Subjects {
			sum += subject.Runs[i].Value.Or(math.NaN()) / 2
		}
		pairstest.Near(t, "mean of two subjects", perf.Means[i].Value, sum)
		if perf.Runs[i].CI.IsZero() || perf.Runs[i].Over != 12 {
			t.Errorf("run %d: %+v", i, perf.Runs[i])
		}
	}
	if len(perf.Subjects) != 2 || perf.Subjects[0].Subject != "law" {
		t.Errorf("subjects %+v", perf.Subjects)
	}
	var out bytes.Buffer
	if err := fullPage(c).Text(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"mean of subjects", "guessing, all questions", "perf_circular"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if _, err := pairs.Of([]string{runs[0].Write(t, "x"), runs[1].Write(t, "y")}, pairs.Options{Metrics: []string{"acc_origin", "luck"}}); err == nil ||
		!strings.Contains(err.Error(), `no metric "luck"; there are acc_origin`) {
		t.Errorf("a metric that there is not: %v", err)
	}
	if all := compared(t, pairs.Options{Metrics: []string{pairs.AllMetrics}}, runs...); len(all.Metrics) < 9 {
		t.Errorf("all metrics are %d", len(all.Metrics))
	}
}

// An MCC is a coefficient from −1 to 1, and a mean of subjects says how many have what it is a mean of.
func TestACoefficientIsNoShareAndAMeanSaysWhatItIsOver(t *testing.T) {
	var runs []pairstest.Run
	for _, name := range []string{"Q8_0", "Q4_K_M"} {
		h, records := journaltest.Binary(12, func(q, option, gold int) journaltest.Answer {
			if q%2 == 1 {
				return journaltest.Answer{Letter: "B"} // of law there is no correlation
			}
			return journaltest.Answer{Letter: map[bool]string{true: "A", false: "B"}[option != gold]}
		})
		h.Model.Quantization = name
		runs = append(runs, pairstest.Run{Header: h, Records: records})
	}
	c := compared(t, pairs.Options{Metrics: []string{"mcc", "tpr"}}, runs...)
	mcc := c.Metrics[0]
	if mcc.Means[0].Over != 1 || len(mcc.Subjects) != 2 || mcc.Means[0].Value != mcc.Subjects[0].Runs[0].Value {
		t.Errorf("the mean of the subjects is %+v of %+v", mcc.Means, mcc.Subjects)
	}
	var out bytes.Buffer
	if err := fullPage(c).Text(&out); err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(out.String(), "\nmcc\n")
	text, _, _ = strings.Cut(text, "\ntpr\n")
	if strings.Contains(text, "%") && strings.Contains(strings.ReplaceAll(text, "95 % interval", ""), "%") ||
		!strings.Contains(text, "of 1 of 2 subjects") || !strings.Contains(text, "-1.0000") {
		t.Errorf("the coefficient in\n%s", text)
	}
}
