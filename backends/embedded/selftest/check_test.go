package selftest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"proctor/backends"
	"proctor/backends/embedded"
	"proctor/backends/embedded/selftest"
	"proctor/backends/llamacpp"
	"proctor/scripts/tests/sharedtest"
)

var update = flag.Bool("update", false, "write the texts of golden.json anew")

func check(t *testing.T, golden selftest.Golden, options llamacpp.Options) selftest.Verdict {
	t.Helper()
	options.Threads = 1
	verdict, err := golden.Check(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	if verdict.Items != len(golden.Items) || verdict.Kernels == "" {
		t.Errorf("asked %d of %d items with kernels %q", verdict.Items, len(golden.Items), verdict.Kernels)
	}
	return verdict
}

func TestTheControlModelWritesTheKnownTexts(t *testing.T) {
	golden := selftest.Known()
	if *update {
		write(t, golden)
	}
	for _, options := range []llamacpp.Options{
		{Kernels: llamacpp.KernelsGGML, Slots: 1}, {Kernels: llamacpp.KernelsGGML}, {Slots: 8},
	} {
		if verdict := check(t, golden, options); !verdict.OK() {
			t.Errorf("%d slots, %s: %v; where the control model is another one, go test -update writes the texts anew",
				options.Slots, verdict.Name(), verdict.Differences)
		}
	}
}

// A cache of 4 bits is off by far more than one kernel from another.
func TestTheTextsDoNotHangOnRounding(t *testing.T) {
	for _, options := range sharedtest.Few(2, []llamacpp.Options{
		{KVType: "k=f32,v=q4_0"}, {Kernels: llamacpp.KernelsGGML, KVType: "k=q8_0,v=q5_1"}, {KVType: "k=q8_0,v=q5_1"},
		{Kernels: llamacpp.KernelsGGML, KVType: "q8_0"}, {Kernels: llamacpp.KernelsGGML, KVType: "q4_0"},
	}) {
		if verdict := check(t, selftest.Known(), options); !verdict.OK() {
			t.Errorf("%s, %s: %v: take other items", options.KVType, verdict.Name(), verdict.Differences)
		}
	}
}

// A golden with one wrong character stands for kernels with one wrong token.
func TestAWrongTextIsFound(t *testing.T) {
	golden := selftest.Known()
	golden.Items = golden.Items[:3]
	at := strings.Index(golden.Items[1].Text, "number")
	right := golden.Items[1].Text[at:]
	golden.Items[1].Text = strings.Replace(golden.Items[1].Text, "number", "figure", 1)
	verdict := check(t, golden, llamacpp.Options{})
	want := []selftest.Difference{{ID: golden.Items[1].ID, At: at, Want: cut("figure" + right[len("number"):]), Got: cut(right)}}
	if verdict.OK() || !reflect.DeepEqual(verdict.Differences, want) {
		t.Errorf("got %+v, want %+v", verdict.Differences, want)
	}
	if line := verdict.Differences[0].String(); !strings.Contains(line, golden.Items[1].ID) || !strings.Contains(line, `"figure`) {
		t.Errorf("told as %s", line)
	}
}

func cut(text string) string { return text[:min(len(text), 32)] }

// write has the control model write the texts that are known from then on.
func write(t *testing.T, golden selftest.Golden) {
	m, err := embedded.Open(context.Background(), llamacpp.Options{Kernels: llamacpp.KernelsGGML, Slots: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for i, item := range golden.Items {
		request := backends.Request{
			ID: item.ID, Prompt: golden.Preambles[item.Subject] + item.Prompt, Stop: golden.Stop, MaxTokens: golden.MaxTokens,
		}
		one := slices.Values([]backends.Request{request})
		err := m.Generate(context.Background(), one, func(c backends.Completion) error {
			golden.Items[i].Text = c.Text
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	var content bytes.Buffer
	encoder := json.NewEncoder(&content)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(golden); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("golden.json", content.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
