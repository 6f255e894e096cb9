package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"text/template"

	"github.com/google/renameio/v2/maybe"
)

// makeTarball writes the tarball and its sum, and says what the program needs.
func (r release) makeTarball() {
	work := must(os.MkdirTemp("", "proctor-dist-"))
	defer os.RemoveAll(work)
	program := r.compile(work)
	needed := glibcNeeded(program)
	all := r.contents(program, needed)
	if r.arch == "amd64" { // other CPUs have no kernels of ours without cgo
		library := r.kernels(work)
		glibcNeeded(library)
		all["lib/"+filepath.Base(library)] = file{content: must(os.ReadFile(library)), mode: 0o755}
	}
	all["SHA256SUMS"] = text(all.sums())
	var packed bytes.Buffer
	all.tarGz(&packed, r.name(), r.time)
	write(r.tarball(), packed.Bytes())
	fmt.Printf("%s: %.1f MB, needs glibc %v\n", r.tarball(), float64(packed.Len())/1e6, needed)
}

// write writes a file and its checksum, which sha256sum can check.
func write(name string, content []byte) {
	check(maybe.WriteFile(name, content, 0o644))
	check(maybe.WriteFile(name+".sha256", []byte(sumLine(content, filepath.Base(name))), 0o644))
}

func (r release) contents(program string, needed glibc) files {
	binary, parts := must(os.ReadFile(program)), r.components(program)
	all := files{
		"proctor":       {content: binary, mode: 0o755},
		"sbom.cdx.json": text(r.sbom(program, parts)),
		"INSTALL.txt":   text(r.installText(needed)),
	}
	for _, name := range append(must(filepath.Glob("docs/*.md")), "README.md", "CHANGELOG.md", "LICENSE") {
		all[name] = text(must(os.ReadFile(name)))
	}
	for _, part := range parts {
		for name, content := range part.texts {
			all[path.Join("licenses", part.reference(), name)] = content
		}
	}
	return all
}

// machines has the words of INSTALL.txt for each architecture.
var machines = map[string]struct{ CPU, Level string }{
	"amd64": {"x86-64", " with AVX2, FMA, BMI2 and F16C (x86-64-v3), as since about 2013, and it uses what a newer one has"},
	"arm64": {"arm64", " with dot products (ARMv8.2), as since about 2018"},
}

//go:embed install.txt
var installTemplate string

func (r release) installText(needed glibc) []byte {
	machine, known := machines[r.arch]
	if !known {
		check(fmt.Errorf("-goarch %s: nothing is known of such machines here: say amd64 or arm64", r.arch))
	}
	var out bytes.Buffer
	check(must(template.New("INSTALL.txt").Parse(installTemplate)).Execute(&out, map[string]any{
		"Version": r.version, "CPU": machine.CPU, "Level": machine.Level, "Glibc": needed, "Kernels": r.arch == "amd64",
		"Systems": "Debian 10, Ubuntu 20.04, RHEL 8 and what came after them",
	}))
	return out.Bytes()
}
