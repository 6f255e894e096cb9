package main

import (
	"debug/elf"
	"fmt"
	"slices"
	"strings"
)

// oldest is the oldest C library that a release must run with: Debian 10 and RHEL 8 have it.
var oldest = glibc{2, 28}

// provided are the libraries that every Linux with glibc has. What else the program needs would have to come along.
var provided = []string{"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "libresolv.so.2", "ld-linux"}

// glibc is a version of the C library: major, minor.
type glibc [2]int

func (v glibc) String() string { return fmt.Sprintf("%d.%d", v[0], v[1]) }

// glibcNeeded returns the version of the C library that a program needs, by the versions of the functions that it calls.
// One that is too new, or another library, is an error which names what calls for it.
func glibcNeeded(program string) glibc {
	binary := must(elf.Open(program))
	defer binary.Close()
	for _, library := range must(binary.ImportedLibraries()) {
		if !slices.ContainsFunc(provided, func(name string) bool { return strings.HasPrefix(library, name) }) {
			check(fmt.Errorf("%s needs %s, which not every machine has: link it statically", program, library))
		}
	}
	return newest(must(binary.ImportedSymbols()))
}

// newest returns the newest version that symbols call for.
func newest(symbols []elf.ImportedSymbol) (needed glibc) {
	var late []string
	for _, symbol := range symbols {
		var version glibc
		if _, err := fmt.Sscanf(symbol.Version, "GLIBC_%d.%d", &version[0], &version[1]); err != nil {
			continue // weak, of no version; or of another library
		}
		if slices.Compare(version[:], needed[:]) > 0 {
			needed = version
		}
		if slices.Compare(version[:], oldest[:]) > 0 {
			late = append(late, symbol.Name+"@"+version.String())
		}
	}
	if len(late) > 0 {
		slices.Sort(late)
		check(fmt.Errorf("the program needs glibc %v, and must do with %v: give %s in scripts/deploy/dist/oldglibc",
			needed, oldest, strings.Join(late, ", ")))
	}
	return needed
}
