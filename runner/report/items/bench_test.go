package items_test

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/report/items"
)

// BenchmarkList lists as many items as MMLU-Pro and MMLU-Pro Binary have, in every format, and tells the largest memory and the
// seconds that all cores computed.
func BenchmarkList(b *testing.B) {
	for _, size := range []struct {
		name      string
		questions int
		binary    bool
	}{{"mmlu_pro", 12_032, false}, {"mmlu_pro_binary", 25_332, true}} {
		path := large(b, size.questions, size.binary)
		for _, format := range items.Formats {
			for _, text := range []bool{false, true} {
				b.Run(fmt.Sprintf("%s/%s/text=%t", size.name, format.Name, text), func(b *testing.B) {
					for b.Loop() {
						runtime.GC()
						began := computed()
						_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
						list, err := items.Open([]string{path}, items.Options{Text: text})
						if err != nil {
							b.Fatal(err)
						}
						if err := format.Write(io.Discard, list); err != nil {
							b.Fatal(err)
						}
						b.ReportMetric(float64(list.Len()), "items")
						b.ReportMetric(peak(), "MB")
						b.ReportMetric(computed()-began, "cpu-s")
						if err := list.Close(); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

// large writes a run with texts as long as models write them.
func large(b *testing.B, questions int, binary bool) string {
	h, records := journaltest.MCQ(questions, func(_, _ int, gold string) journaltest.Answer { return journaltest.Answer{Letter: gold} })
	if binary {
		h, records = journaltest.Binary(questions, func(_, _, _ int) journaltest.Answer { return journaltest.Answer{Letter: "A"} })
	}
	path := b.TempDir()
	w, err := journal.Create(path, h)
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	for _, r := range records {
		r.Prompt = "Question:\n" + strings.Repeat("What follows from what was said before? ", 15) + "\nOptions:\n"
		r.Text = strings.Repeat(" We weigh the options one by one and look at what is said about each.", 9) + r.Text
		for i := range r.Options {
			r.OptionTexts = append(r.OptionTexts, fmt.Sprintf("conclusion %d, as one may think", i))
		}
		if err := w.Append(r); err != nil {
			b.Fatal(err)
		}
	}
	return path
}

// peak is the largest resident memory in MB since it was forgotten, where the system tells.
func peak() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		var kilobytes float64
		if n, _ := fmt.Sscanf(line, "VmHWM: %f kB", &kilobytes); n == 1 {
			return kilobytes / 1024
		}
	}
	return 0
}

// computed is how many seconds the process has computed, on all cores.
func computed() float64 {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()).Seconds()
}
