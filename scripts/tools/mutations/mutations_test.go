package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain lets the tests be the children that open files.
func TestMain(m *testing.M) {
	beChild()
	os.Exit(m.Run())
}

// files is how many the tests try: some seconds' worth. `make fuzz` tries thousands.
const files = 150

func TestNoModelFileKillsTheProcess(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	bad, err := try(program, options{number: files, jobs: 2, seed: 3}, &out)
	if err != nil || bad > 0 {
		t.Errorf("%d of %d files did what none must, %v:\n%s", bad, files, err, out.String())
	}
	for _, f := range []fate{refused, ran} {
		if strings.Contains(out.String(), fmt.Sprintf("\n%s: 0\n", f)) {
			t.Errorf("nothing %s, so the files are no test:\n%s", f, out.String())
		}
	}
}

func TestTheSeedDecidesTheFiles(t *testing.T) {
	corpus := func(seed uint64) *corpus {
		c, err := newCorpus(t.TempDir(), seed)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	one, same, other := corpus(1), corpus(1), corpus(2)
	different := 0
	for number := range files {
		m, content := one.mutation(number)
		again, sameContent := same.mutation(number)
		if m.kind != again.kind || m.about != again.about || !bytes.Equal(content, sameContent) {
			t.Errorf("file %d is another one: %s, %s; %s, %s", number, m.kind, m.about, again.kind, again.about)
		}
		if _, otherContent := other.mutation(number); !bytes.Equal(content, otherContent) {
			different++
		}
	}
	if different < files/2 {
		t.Errorf("another seed makes %d of %d other files", different, files)
	}
	if len(one.models) < 18 || len(one.all) < 20000 {
		t.Errorf("%d mutations of %d models", len(one.all), len(one.models))
	}
}

func TestWhatBecomesOfAChildIsTold(t *testing.T) {
	folder := t.TempDir()
	for name, test := range map[string]struct {
		script string
		want   fate
		why    string
	}{
		"refused":           {`echo '{"refused":"m.gguf: no","grown":5}'`, refused, "no"},
		"refused in lines":  {`printf '%s' '{"refused":"a\nb"}'`, crashed, "more than one line"},
		"refused for much":  {`echo '{"refused":"no","grown":99999999}'`, bloated, "99999999 bytes for a file of 100"},
		"ran":               {`echo '{"failed":"no token"}'`, ran, "no token"},
		"gave up":           {`echo '{"aborted":"m.gguf: gave up"}'`, aborted, "gave up"},
		"a signal":          {`kill -SEGV $$`, crashed, ""},
		"a code":            {`echo '{}'; echo no >&2; exit 2`, crashed, "no"},
		"nothing":           {`exit 0`, crashed, ""},
		"a trace":           {`echo SIGSEGV: bad >&2; echo proctor/x >&2; exit 2`, crashed, "SIGSEGV: bad"},
		"something else":    {`echo hello`, crashed, ""},
		"a verdict, but it": {`echo '{"refused":"no"}'; kill -ABRT $$`, crashed, ""},
	} {
		path := filepath.Join(folder, "child.sh")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+test.script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		if got := watch(path, "m.gguf", 100); got.fate != test.want || !strings.Contains(got.why, test.why) {
			t.Errorf("%s: %s, %q", name, got.fate, got.why)
		}
	}
}
