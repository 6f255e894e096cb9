package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// command is the program's package.
const command = "./cmd/proctor"

// statically are the linker's flags, without the objects of oldglibc. They link the C++ library statically, and name the libraries
// that glibc consisted of before 2.34: an old glibc has its threads and its loader there.
const statically = "-static-libstdc++ -static-libgcc" +
	" -Wl,--push-state,--no-as-needed,-l:libpthread.so.0,-l:libdl.so.2,-l:libresolv.so.2,--pop-state"

// compile builds the program into the folder work and returns its path.
func (r release) compile(work string) string {
	program := filepath.Join(work, "proctor")
	// No build id: it would depend on the linker's flags, and so on the folder of the objects.
	flags := fmt.Sprintf("-s -w -buildid= -X main.version=%s -linkmode external -extldflags '%s %s'",
		r.version, strings.Join(r.oldGlibc(work), " "), statically)
	r.run("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", program, command)
	return program
}

// kernels builds the kernels' shared library in the folder work, for programs without cgo.
func (r release) kernels(work string) string {
	library := filepath.Join(work, "libproctor-kernels.so")
	r.run("scripts/kernels-library.sh", library, filepath.Join(work, "versions.S.o"), filepath.Join(work, "missing.c.o"))
	return library
}

// oldGlibc compiles the objects with which the program runs on an older C library than this machine's.
func (r release) oldGlibc(work string) (objects []string) {
	compiler := r.compiler()
	for _, source := range []string{"versions.S", "missing.c", "start.c"} {
		object := filepath.Join(work, source+".o")
		r.run(compiler[0], slices.Concat(compiler[1:], []string{
			"-O2", "-fPIC", "-Wall", "-Wextra", "-Werror", "-c", "scripts/deploy/dist/oldglibc/" + source, "-o", object,
		})...)
		objects = append(objects, object)
	}
	return objects
}

// compiler is the C compiler that Go uses, and its flags.
func (r release) compiler() []string {
	compiler := strings.Fields(r.line("go", "env", "CC"))
	if len(compiler) == 0 {
		check(errors.New("go env CC names no C compiler"))
	}
	return compiler
}

// run runs a program for the release's kind of machine, in the repository, and returns what it printed.
func (r release) run(name string, arguments ...string) []byte {
	command := exec.Command(name, arguments...)
	command.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+r.arch, "CGO_ENABLED=1")
	var problems bytes.Buffer
	command.Stderr = &problems
	printed, err := command.Output()
	if err != nil {
		check(fmt.Errorf("%s: %w\n%s", strings.Join(command.Args, " "), err, problems.Bytes()))
	}
	return printed
}

// line is the line that a program printed.
func (r release) line(name string, arguments ...string) string {
	return strings.TrimSpace(string(r.run(name, arguments...)))
}
