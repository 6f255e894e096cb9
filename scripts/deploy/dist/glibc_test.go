package main

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

func TestNewest(t *testing.T) {
	symbol := func(name, version string) elf.ImportedSymbol { return elf.ImportedSymbol{Name: name, Version: version} }
	for _, c := range []struct {
		name    string
		symbols []elf.ImportedSymbol
		want    string
		problem string
	}{
		{"versions are numbers, not text", []elf.ImportedSymbol{symbol("a", "GLIBC_2.9"), symbol("b", "GLIBC_2.14")}, "2.14", ""},
		{"a third number changes nothing", []elf.ImportedSymbol{symbol("a", "GLIBC_2.2.5")}, "2.2", ""},
		{
			"other libraries and none have no say",
			[]elf.ImportedSymbol{symbol("a", "GLIBC_2.3"), symbol("b", "GCC_9.0"), symbol("c", "")}, "2.3", "",
		},
		{"the oldest that is promised will do", []elf.ImportedSymbol{symbol("a", "GLIBC_2.28")}, "2.28", ""},
		{
			"what calls for a newer one is named",
			[]elf.ImportedSymbol{symbol("stat", "GLIBC_2.33"), symbol("dlopen", "GLIBC_2.34"), symbol("a", "GLIBC_2.4")},
			"", "needs glibc 2.34, and must do with 2.28: give dlopen@2.34, stat@2.33 in scripts/deploy/dist/oldglibc",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var needed glibc
			err := caught(func() { needed = newest(c.symbols) })
			if c.problem != "" {
				assert.ErrorContains(t, err, c.problem)
				return
			}
			assert.NilError(t, err)
			assert.Equal(t, needed.String(), c.want)
		})
	}
}

// A program that is linked with the objects of oldglibc works here, and needs no newer C library than a release may; the same
// program without them does.
func TestOldGlibc(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("glibc is Linux's")
	}
	t.Chdir("../../..")
	r := release{arch: runtime.GOARCH}
	for _, name := range []string{"oldglibc/versions.S", "oldglibc/missing.c", "oldglibc/start.c", "testdata/program.cpp"} {
		// So that go test's cache knows that the test depends on it.
		_, err := os.ReadFile("scripts/deploy/dist/" + name)
		assert.NilError(t, err)
	}
	work := t.TempDir()
	objects := r.oldGlibc(work)
	link := func(name string, more ...string) string {
		program := filepath.Join(work, name)
		arguments := append([]string{"-std=c++17", "-O2", "scripts/deploy/dist/testdata/program.cpp", "-o", program}, more...)
		out, err := exec.Command("g++", append(arguments, strings.Fields(statically)...)...).CombinedOutput()
		assert.NilError(t, err, "%s", out)
		return program
	}

	program := link("old", objects...)
	needed := glibcNeeded(program)
	t.Logf("needs glibc %v", needed)
	out, err := exec.Command(program).CombinedOutput()
	assert.NilError(t, err, "%s", out)
	const works = "first constructor exception through exception once stack affinity random files numbers library resolver destructor"
	assert.Equal(t, strings.Join(strings.Fields(string(out)), " "), works)

	err = caught(func() { glibcNeeded(link("new")) })
	assert.ErrorContains(t, err, "give ")
	assert.ErrorContains(t, err, "pthread_create@2.34")
}

func TestLibrariesThatNotEveryMachineHas(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program")
	out, err := exec.Command("g++", "-std=c++17", "testdata/program.cpp", "-o", program).CombinedOutput()
	assert.NilError(t, err, "%s", out)
	err = caught(func() { glibcNeeded(program) })
	assert.ErrorContains(t, err, "needs libstdc++.so.6, which not every machine has")
	assert.NilError(t, os.Remove(program))
	err = caught(func() { glibcNeeded(program) })
	assert.ErrorIs(t, err, os.ErrNotExist)
}
