package pooled

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"gotest.tools/v3/golden"

	"proctor/runner/mark/pairs"
	"proctor/runner/mark/pairs/pairstest"
	"proctor/runner/mark/pooled"
	_ "proctor/scripts/tests/settingtest"
)

// of pools Q8_0 and others in multiple choice and MMLU-Pro Binary on the same questions.
func of(t *testing.T, others ...string) *pooled.Pooled {
	t.Helper()
	var mcq, binary []string
	for i, quantization := range append([]string{"Q8_0"}, others...) {
		mcq = append(mcq, pairstest.MCQ(quantization, 200, func(q int) bool { return q%4 > 0 && q >= 12*i }).Write(t, quantization))
		yes := func(q, option int) bool { return (option == q%4) == (q%5 > 0 && q >= 5*i) }
		binary = append(binary, pairstest.Binary(quantization, 200, yes).Write(t, quantization))
	}
	var tasks []*pairs.Comparison
	for _, runs := range [][]string{mcq, binary} {
		c, err := pairs.Of(runs, pairs.Options{})
		if err != nil {
			t.Fatal(err)
		}
		tasks = append(tasks, c)
	}
	p, err := pooled.Of(tasks)
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.Pairs { // folders of this test
		for j := range p.Pairs[i].Tasks {
			p.Pairs[i].Tasks[j].Run = []string{"runs/q8/mmlu_pro", "runs/q8/mmlu_pro_binary"}[j]
		}
	}
	return p
}

func TestGoldens(t *testing.T) {
	for name, p := range map[string]*pooled.Pooled{"two": of(t, "Q4_K_M"), "three": of(t, "Q6_K", "Q4_K_M")} {
		for _, format := range Formats {
			var out bytes.Buffer
			if err := format.Write(&out, p); err != nil {
				t.Fatal(err)
			}
			if format.Name != "html" {
				golden.Assert(t, out.String(), name+format.Ext)
				continue
			}
			for i, pair := range p.Pairs {
				for _, want := range []string{pair.Verdict, fmt.Sprintf(`id="tasks-%d"`, i+1), pair.Clearest, "share of the sum of"} {
					if !strings.Contains(out.String(), want) {
						t.Errorf("%s, pair %d: %q is not in the document", name, i, want)
					}
				}
			}
		}
		var out bytes.Buffer
		if err := Short[0].Write(&out, p); err != nil {
			t.Fatal(err)
		}
		golden.Assert(t, out.String(), name+"-short.txt")
	}
}
