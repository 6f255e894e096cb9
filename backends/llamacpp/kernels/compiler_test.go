package kernels_test

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// What is too old to compile the kernels is named before it tries, with what is needed.
func TestACompilerThatIsTooOldIsNamed(t *testing.T) {
	for _, test := range []struct{ name, version, machine, flag, says string }{
		{"gcc of RHEL 8", "8.5.0", "x86_64-redhat-linux", "", "is gcc 8.5.0, gcc 11 or newer is needed: install"},
		{"gcc of Debian 11", "10.2.1", "x86_64-linux-gnu", "", "is gcc 10.2.1, gcc 11 or newer is needed: install"},
		{"clang", "11.0.1", "x86_64-pc-linux-gnu", "", "is clang 11.0.1, clang 12 or newer is needed: install"},
		{"gcc of Debian 12", "12.2.0", "x86_64-linux-gnu", "", ""},
		{"gcc for other CPUs", "10.2.1", "aarch64-linux-gnu", "", ""},
		{"gcc that lacks a flag", "12.2.0", "x86_64-linux-gnu", "-mno-amx-tile", "gcc 12.2.0, does not take the flags -O3 -mno-amx-tile (unknown -mno"},
	} {
		t.Run(test.name, func(t *testing.T) {
			compiler := filepath.Join(t.TempDir(), "cc")
			script := fmt.Sprintf(`#!/bin/sh
case "$*" in
*-dumpmachine*) echo %s;;
*-dump*) echo %s;;
*--version*) echo '%s';;
*%s*) test -z '%[4]s' || { echo unknown %[4]s; exit 1; };;
esac
`, test.machine, test.version, test.name, test.flag)
			assert.NilError(t, os.WriteFile(compiler, []byte(script), 0o755))
			for _, variable := range []string{"CC", "CXX"} {
				check := exec.Command("sh", "../../../scripts/compiler.sh")
				check.Env = append(os.Environ(), "CGO_CFLAGS=-O3 -mno-amx-tile", "CGO_CXXFLAGS=-O3 -mno-amx-tile", variable+"="+compiler)
				output, err := check.CombinedOutput()
				if (err != nil) != (test.says != "") || !strings.Contains(string(output), test.says) || strings.Count(string(output), "\n") > 1 {
					t.Errorf("%s: %v: %s", variable, err, output)
				}
			}
		})
	}
}

// Where nobody has asked make, the file that all kernels include says so first.
func TestTheKernelsNameACompilerThatIsTooOld(t *testing.T) {
	compiler := strings.Fields(cmp.Or(os.Getenv("CC"), "gcc"))
	for version, old := range map[string]bool{"10": true, "11": false} {
		arguments := append(compiler[1:], "-E", "-U__clang__", "-U__GNUC__", "-D__GNUC__="+version, "-D__x86_64__=1", "cpu.h")
		output, _ := exec.Command(compiler[0], arguments...).CombinedOutput()
		assert.Check(t, strings.Contains(string(output), "#error \"gcc 11 or newer is needed") == old, "gcc %s: %s", version, output)
	}
}
