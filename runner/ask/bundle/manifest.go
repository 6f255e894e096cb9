package bundle

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Where things are in a bundle.
const (
	Folder   = "proctor-bundle" // the top, of everything below
	Program  = "proctor"
	License  = "LICENSE"
	Data     = "data"    // a folder for each question set
	Models   = "models"  // GGUF files
	Engines  = "engines" // a folder for each llama.cpp
	manifest = "manifest.json"
	sums     = "SHA256SUMS"
)

// format is the version of the format in the package comment.
const format = 1

// A Manifest lists a bundle's contents.
type Manifest struct {
	Format  int      `json:"format"`
	Program Build    `json:"program"`
	Data    *Dataset `json:"data,omitempty"` // nil: the sample, which the program carries
	Models  []Model  `json:"models"`
	Engines []Engine `json:"engines,omitempty"`
	Files   []File   `json:"files"` // but the manifest and the sums, in their order
}

// Build is the program.
type Build struct {
	Path     string   `json:"path"`
	Version  string   `json:"version"`
	OS       string   `json:"os"`
	Arch     string   `json:"arch"`
	Engine   string   `json:"engine"`
	Compiled []string `json:"compiled_for"` // the CPU features that it needs, as the engine names them
}

// Dataset is a question set.
type Dataset struct {
	Name   string `json:"name"` // for --data
	Path   string `json:"path"` // of its folder
	SHA256 string `json:"sha256"`
	Source string `json:"source"`
	Rows   int    `json:"rows"` // test questions
}

// Model is a model.
type Model struct {
	Ref          string `json:"ref"`  // as the user named it
	Path         string `json:"path"` // to give to --model: of a split model, its first part
	Name         string `json:"name"`
	Architecture string `json:"architecture"`
	Quantization string `json:"quantization"`
	Bytes        int64  `json:"size_bytes"` // of all parts
}

// Engine is a build of llama.cpp.
type Engine struct {
	Name    string `json:"name"` // for --engine
	Path    string `json:"path"` // of its folder
	Release string `json:"release"`
}

// A File is one in the bundle.
type File struct {
	Path   string `json:"path"` // below Folder, with slashes
	Bytes  int64  `json:"size_bytes"`
	SHA256 string `json:"sha256"`
}

// misnamed finds errors of the manifest: everything it names must be at the places in the package comment, and listed in Files, whose
// sums are checked, with its size.
func (m Manifest) misnamed(sizes map[string]int64) []Problem {
	var all []Problem
	problem := func(format string, values ...any) {
		all = append(all, Problem{manifest, fmt.Sprintf(format, values...)})
	}
	listed := map[string]bool{}
	for _, f := range m.Files {
		if listed[f.Path] {
			problem("lists %q twice", f.Path)
		}
		listed[f.Path] = true
		if have, there := sizes[f.Path]; there && have != f.Bytes {
			problem("says that %q has %d bytes, it has %d", f.Path, f.Bytes, have)
		}
	}
	if m.Program.Path != Program || !listed[Program] {
		problem("names the program %q, which is not the one in the bundle", m.Program.Path)
	}
	for _, model := range m.Models {
		if !strings.HasPrefix(model.Path, Models+"/") || !listed[model.Path] {
			problem("names the model %q, which is not in the bundle", model.Path)
		}
	}
	folder := func(what, under, name, path string) {
		inside := func(f File) bool { return strings.HasPrefix(f.Path, path+"/") }
		if strings.Contains(name, "/") || path != under+"/"+name || !slices.ContainsFunc(m.Files, inside) {
			problem("names the %s %q in %q, which is not in the bundle", what, name, path)
		}
	}
	for _, e := range m.Engines {
		folder("engine", Engines, e.Name, e.Path)
	}
	if d := m.Data; d != nil {
		folder("question set", Data, d.Name, d.Path)
	}
	return all
}

// sumsText are the sums of files, as sha256sum writes them.
func sumsText(files []File) []byte {
	var text strings.Builder
	for _, f := range files {
		fmt.Fprintf(&text, "%s  %s\n", f.SHA256, f.Path)
	}
	return []byte(text.String())
}

// parseSums reads the output of sumsText: sums by path.
func parseSums(text []byte) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if sum, path, found := strings.Cut(strings.TrimSuffix(line, "\n"), "  "); found {
			all[path] = sum
		}
	}
	return all
}

// fit says whether a file may have this path in a bundle: it is at one of the places in the package comment, it is the same path on
// all systems, and a terminal can show it.
func fit(name string) bool {
	top, below, nested := strings.Cut(name, "/")
	known := nested && below != "" && (top == Data || top == Models || top == Engines) ||
		slices.Contains([]string{Program, License, manifest, sums}, name)
	return known && name == path.Clean(name) && filepath.IsLocal(filepath.FromSlash(name)) && strconv.CanBackquote(name) &&
		!strings.ContainsAny(name, "\\\t")
}

// places are the paths of files and folders, keyed by their lower-case form. Folders end in a slash.
type places map[string]string

// take reserves a file's path and its parent folders, or returns the path that it clashes with: the same path, ignoring case, or a
// file where a folder must be.
func (p places) take(name string) (clash string) {
	for at := name; at != "."; at = path.Dir(at) {
		written := at
		if at != name {
			written += "/"
		}
		key := strings.ToLower(strings.ToUpper(at))
		switch have, taken := p[key]; {
		case taken && have == name:
			return "is there twice"
		case taken && have != written:
			return "cannot lie beside " + have + ", as not all systems tell them apart"
		}
		p[key] = written
	}
	return ""
}
