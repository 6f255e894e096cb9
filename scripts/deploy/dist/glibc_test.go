package main

import (
	"debug/elf"
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
