package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// component is a library in the program, with its licence.
type component struct {
	name, version string
	purl          string // a package URL, "" where no registry has it
	sum           string // go.sum's, of a Go module
	texts         files  // its licence texts
	terms         string // an SPDX expression, where the texts hold more than its terms; else "", and they tell
}

// licensed are the names of files with the terms of what lies in their folder.
var licensed = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|copyright|notice|patents)([-._].*)?$|^THIRD_PARTY_LICENSES$`)

// sourcePackage is what `go list -json` says of a package in the program.
type sourcePackage struct {
	Dir                      string
	Standard                 bool
	CFiles, CXXFiles, HFiles []string
	Module                   *struct{ Path, Version, Dir string }
}

// packages lists all packages of the program.
func (r release) packages() ([]sourcePackage, error) {
	listed, err := r.run("go", "list", "-trimpath", "-deps", "-json=Dir,Standard,CFiles,CXXFiles,HFiles,Module", command)
	if err != nil {
		return nil, err
	}
	var all []sourcePackage
	for decoder := json.NewDecoder(bytes.NewReader(listed)); ; {
		var one sourcePackage
		switch err := decoder.Decode(&one); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("go list: %w", err)
		}
		all = append(all, one)
	}
}

// moduleTexts returns the licence texts of each module by its path: those in the folders of the packages that the program
// has of it, in the folders above them, and at the head of their C sources.
func moduleTexts(packages []sourcePackage) (map[string]files, error) {
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
			if err := collect(of, p.Module.Dir, folder); err != nil {
				return nil, err
			}
		}
		for _, source := range slices.Concat(p.CFiles, p.CXXFiles, p.HFiles) {
			if err := notice(of, p.Module.Dir, filepath.Join(p.Dir, source)); err != nil {
				return nil, err
			}
		}
	}
	return texts, nil
}

func within(folder, root string) bool {
	return folder == root || strings.HasPrefix(folder, root+string(filepath.Separator))
}

// collect adds the licence files of a folder, by their paths from root.
func collect(to files, root, folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) == ".go" || !licensed.MatchString(entry.Name()) {
			continue
		}
		err := filepath.WalkDir(filepath.Join(folder, entry.Name()), func(name string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() {
				return err
			}
			return read(to, root, name)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// read adds a file by its path from root.
func read(to files, root, name string) error {
	content, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	below, err := filepath.Rel(root, name)
	if err != nil {
		return err
	}
	to[filepath.ToSlash(below)] = text(content)
	return nil
}

// notice adds the comment that a C source begins with, where it grants a licence.
func notice(to files, root, source string) error {
	content, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	var comment []byte
	for line := range bytes.Lines(content) {
		said, isComment := bytes.CutPrefix(line, []byte("//"))
		if !isComment {
			break
		}
		comment = append(comment, bytes.TrimPrefix(said, []byte(" "))...)
	}
	if !bytes.Contains(comment, []byte("Permission is hereby granted")) {
		return nil
	}
	below, err := filepath.Rel(root, source)
	if err != nil {
		return err
	}
	to[filepath.ToSlash(below)+".LICENSE"] = text(comment)
	return nil
}

// goTexts are the terms of Go's own library.
func (r release) goTexts() (files, error) {
	answer, err := r.run("go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	root := strings.TrimSpace(string(answer))
	texts := files{}
	return texts, collect(texts, root, root)
}

// installedTexts returns the licence texts that this machine has for a package of its distribution: the files that match the
// patterns, of which one has to contain the text must. what is the package, for the error.
func installedTexts(what, must string, patterns ...string) (files, error) {
	texts := files{}
	found := false
	for _, pattern := range patterns {
		matches, err := filepath.Glob(pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range matches {
			content, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			found = found || bytes.Contains(content, []byte(must))
			texts[path.Base(path.Dir(filepath.ToSlash(name)))+"/"+filepath.Base(name)] = text(content)
		}
	}
	if !found {
		return nil, fmt.Errorf(
			"the licence of %s is on this machine in none of %s: install its documentation (minimal images leave it out)",
			what, strings.Join(patterns, ", "))
	}
	return texts, nil
}

// licences returns what licensecheck calls the licences that the texts contain, sorted: SPDX's identifiers, but for a few.
func (f files) licences() []string {
	known := map[string]bool{}
	for _, each := range f {
		for _, match := range licensecheck.Scan(each.content).Match {
			if !match.IsURL {
				known[match.ID] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(known))
}
