package main

import (
	"path/filepath"
	"slices"
	"testing"
)

// TestOllamaPenalisesAsTheEngineDoes asks the same file by a real server and by the engine, one item at a time: each penalty
// changes what either writes, and both write the same.
func TestOllamaPenalisesAsTheEngineDoes(t *testing.T) {
	control(t, 1)
	folder := t.TempDir()
	texts := func(name string, flags ...string) map[string]string {
		out := filepath.Join(folder, name)
		run(t, slices.Concat([]string{"run", "--quiet", "--threads", "1", "--limit", "8",
			"--shots", "0", "--style", "agi-evals", "--max-tokens", "32", "--out", out}, flags)...)
		all := map[string]string{}
		for _, record := range loaded(t, out).Records {
			all[record.ID] = record.Text
		}
		return all
	}
	engine := []string{"--model", modelPath(t), "--slots", "1"}
	plain := texts("plain", engine...)
	for name, penalty := range map[string][]string{
		"repeat":    {"--sampling", "repeat_penalty=1.5"},
		"presence":  {"--sampling", "presence_penalty=2"},
		"frequency": {"--sampling", "frequency_penalty=1"},
	} {
		ours := texts(name+" here", slices.Concat(penalty, engine)...)
		theirs := texts(name+" served", append(penalty, "--model", "ollama:control", "--concurrency", "1")...)
		same, changed := 0, 0
		for id, text := range ours {
			if text == theirs[id] {
				same++
			} else {
				t.Logf("%s: %s: by the server %q, here %q", name, id, theirs[id], text)
			}
			if text != plain[id] {
				changed++
			}
		}
		verdict := t.Logf
		if len(ours) != 8 || same < 6 || changed == 0 {
			verdict = t.Errorf
		}
		verdict("%s: %d texts, %d the same by the server, %d others than without the penalty", name, len(ours), same, changed)
	}
}
