package bundle

import (
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// fit says whether a file may have the path in a bundle: it stays within, where the package doc says, all systems take it for
// the same path, and a terminal can show it.
func fit(name string) bool {
	top, below, nested := strings.Cut(name, "/")
	known := nested && below != "" && (top == Data || top == Models || top == Engines) ||
		slices.Contains([]string{Program, License, manifest, sums}, name)
	return known && name == path.Clean(name) && filepath.IsLocal(filepath.FromSlash(name)) && strconv.CanBackquote(name) &&
		!strings.ContainsAny(name, "\\\t")
}

// Places are the paths that files and folders have, by how they look where capitals do not count. Those of folders end in a slash.
type places map[string]string

// take gives a file its path and the folders above it theirs, or says what is in the way: the same path, also where capitals do
// not count, and a file where a folder has to be.
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
