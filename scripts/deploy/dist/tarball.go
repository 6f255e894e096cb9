package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"text/template"

	"github.com/google/renameio/v2"
)

// makeTarball writes the tarball and its sum, and says what the program needs.
func (r release) makeTarball() error {
	work, err := os.MkdirTemp("", "proctor-dist-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	program, err := r.compile(work)
	if err != nil {
		return err
	}
	needed, err := glibcNeeded(program)
	if err != nil {
		return err
	}
	all, err := r.contents(program, needed)
	if err != nil {
		return err
	}
	if err := r.addKernels(all, work); err != nil {
		return err
	}
	all["SHA256SUMS"] = text(all.sums())
	var packed bytes.Buffer
	if err := all.tarGz(&packed, r.name(), r.time); err != nil {
		return err
	}
	if err := write(r.tarball(), packed.Bytes()); err != nil {
		return err
	}
	fmt.Printf("%s: %.1f MB, needs glibc %v\n", r.tarball(), float64(packed.Len())/1e6, needed)
	return nil
}

// write writes a file and its checksum, which sha256sum can check.
func write(name string, content []byte) error {
	if err := renameio.WriteFile(name, content, 0o644); err != nil {
		return err
	}
	return renameio.WriteFile(name+".sha256", []byte(sumLine(content, filepath.Base(name))), 0o644)
}

// contents are the tarball's files.
func (r release) contents(program string, needed glibc) (files, error) {
	binary, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	parts, err := r.components(program)
	if err != nil {
		return nil, err
	}
	bill, err := r.sbom(binary, parts)
	if err != nil {
		return nil, err
	}
	guide, err := r.installText(needed)
	if err != nil {
		return nil, err
	}
	manual, err := r.manual(program)
	if err != nil {
		return nil, err
	}
	all := files{
		"proctor":       {content: binary, mode: 0o755},
		"sbom.cdx.json": text(bill),
		"INSTALL.txt":   text(guide),
		"proctor.1":     text(manual),
	}
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		return nil, err
	}
	for _, name := range append(pages, "README.md", "CHANGELOG.md", "LICENSE") {
		if err := read(all, ".", name); err != nil {
			return nil, err
		}
	}
	for _, part := range parts {
		for name, content := range part.texts {
			all[path.Join("licenses", part.reference(), name)] = content
		}
	}
	return all, nil
}

// addKernels adds the kernels' shared library, where there is one.
func (r release) addKernels(all files, work string) error {
	library, err := r.kernels(work)
	if err != nil || library == "" {
		return err
	}
	if _, err := glibcNeeded(library); err != nil {
		return err
	}
	content, err := os.ReadFile(library)
	all["lib/"+filepath.Base(library)] = file{content: content, mode: 0o755}
	return err
}

// machines are what INSTALL.txt says of each architecture.
var machines = map[string]struct{ CPU, Level string }{
	"amd64": {"x86-64", " with AVX2, FMA, BMI2 and F16C (x86-64-v3), as since about 2013, and it uses what a newer one has"},
	"arm64": {"arm64", " with dot products (ARMv8.2), as since about 2018"},
}

//go:embed install.txt
var installTemplate string

// installText is INSTALL.txt.
func (r release) installText(needed glibc) ([]byte, error) {
	machine, known := machines[r.arch]
	if !known {
		return nil, fmt.Errorf("-goarch %s: nothing is known of such machines here: say amd64 or arm64", r.arch)
	}
	guide, err := template.New("INSTALL.txt").Parse(installTemplate)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = guide.Execute(&out, map[string]any{
		"Version": r.version, "CPU": machine.CPU, "Level": machine.Level, "Glibc": needed, "Kernels": r.arch == "amd64",
		"Systems": "Debian 10, Ubuntu 20.04, RHEL 8 and what came after them",
	})
	return out.Bytes(), err
}
