package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// component is a library in the program, with its licence.
type component struct {
	name, version string
	purl          string // a package URL, of what is no Go module
	terms         string // its SPDX expression
	texts         files  // its licence texts
}

// reference is the component's name in the folder of licences.
func (c component) reference() string { return c.name + "@" + c.version }

// licensed are the names of files with the terms of what lies in their folder.
var licensed = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|copyright|notice|patents)([-._].*)?$|^THIRD_PARTY_LICENSES$`)

// sourcePackage holds the fields of `go list -json` that are needed for a package in the program.
type sourcePackage struct {
	Dir                      string
	Standard                 bool
	CFiles, CXXFiles, HFiles []string
	Module                   *struct{ Path, Version, Dir string }
}

// packages lists all packages of the program.
func (r release) packages() []sourcePackage {
	listed := r.run("go", "list", "-trimpath", "-deps", "-json=Dir,Standard,CFiles,CXXFiles,HFiles,Module", command)
	var all []sourcePackage
	for decoder := json.NewDecoder(bytes.NewReader(listed)); decoder.More(); {
		var one sourcePackage
		check(decoder.Decode(&one))
		all = append(all, one)
	}
	return all
}

// moduleTexts returns the licence texts of each module by its path: those in the folders of the packages that the program
// has of it, in the folders above them, and at the head of their C sources.
func moduleTexts(packages []sourcePackage) map[string]files {
	texts := map[string]files{}
	for _, p := range packages {
		if p.Module == nil || p.Standard {
			continue
		}
		if texts[p.Module.Path] == nil {
			texts[p.Module.Path] = files{}
		}
		of := texts[p.Module.Path]
		for folder := p.Dir; within(folder, p.Module.Dir); folder = filepath.Dir(folder) {
			of.collect(p.Module.Dir, folder)
		}
		for _, source := range slices.Concat(p.CFiles, p.CXXFiles, p.HFiles) {
			of.notice(p.Module.Dir, filepath.Join(p.Dir, source))
		}
	}
	return texts
}

func within(folder, root string) bool {
	return folder == root || strings.HasPrefix(folder, root+string(filepath.Separator))
}

// collect adds the licence files of a folder, by their paths from root.
func (f files) collect(root, folder string) {
	for _, entry := range must(os.ReadDir(folder)) {
		if filepath.Ext(entry.Name()) != ".go" && licensed.MatchString(entry.Name()) {
			f.readAll(root, filepath.Join(folder, entry.Name()))
		}
	}
}

// readAll adds a file, or all files of a folder, by their paths from root.
func (f files) readAll(root, from string) {
	check(filepath.WalkDir(from, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			f[below(root, name)] = text(must(os.ReadFile(name)))
		}
		return err
	}))
}

// below is a file's path from root, with slashes.
func below(root, name string) string { return filepath.ToSlash(must(filepath.Rel(root, name))) }

// notice adds the comment that a C source begins with, where it grants a licence.
func (f files) notice(root, source string) {
	var comment []byte
	for line := range bytes.Lines(must(os.ReadFile(source))) {
		said, isComment := bytes.CutPrefix(line, []byte("//"))
		if !isComment {
			break
		}
		comment = append(comment, bytes.TrimPrefix(said, []byte(" "))...)
	}
	if bytes.Contains(comment, []byte("Permission is hereby granted")) {
		f[below(root, source)+".LICENSE"] = text(comment)
	}
}

// goTexts are the terms of Go's own library.
func (r release) goTexts() files {
	root, texts := r.line("go", "env", "GOROOT"), files{}
	texts.collect(root, root)
	return texts
}

// installedTexts returns the licence texts that this machine has for a package of its distribution: the files that match the patterns; one of
// them has to contain the text contains. what names the package in the error.
func installedTexts(what, contains string, patterns ...string) files {
	texts := files{}
	found := false
	for _, pattern := range patterns {
		for _, name := range must(filepath.Glob(pattern)) {
			content := must(os.ReadFile(name))
			found = found || bytes.Contains(content, []byte(contains))
			texts[path.Base(path.Dir(filepath.ToSlash(name)))+"/"+filepath.Base(name)] = text(content)
		}
	}
	if !found {
		check(fmt.Errorf("the licence of %s is on this machine in none of %s: install its documentation (minimal images leave it out)",
			what, strings.Join(patterns, ", ")))
	}
	return texts
}
