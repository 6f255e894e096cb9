package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"proctor/backends/setting"
	"proctor/prompts/dataset/folder"
)

// PublishedName is the name under which the published MMLU-Pro is kept, and opened by default.
const PublishedName = "mmlu-pro"

const manifestFile = "manifest.json"

// A Manifest describes an imported set. It lies beside the set's files as manifest.json.
type Manifest struct {
	Name   string  `json:"name"`
	Source string  `json:"source"` // where it came from, for people
	SHA256 string  `json:"sha256"` // the set's, as Set.SHA256
	Splits []Split `json:"splits"`

	Contradictions []Contradiction `json:"contradictions,omitempty"`
}

// Folder is the data folder: $PROCTOR_DATA, else proctor in the XDG data folder.
func Folder() (string, error) {
	if folder := os.Getenv("PROCTOR_DATA"); folder != "" {
		return folder, nil
	}
	// The XDG specification: relative paths are to be ignored.
	if data := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(data) {
		return filepath.Join(data, "proctor"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no data folder: %w; set PROCTOR_DATA", err)
	}
	return filepath.Join(home, ".local", "share", "proctor"), nil
}

// List returns the manifests of the imported sets by name. in is as [Options].Folder.
func List(in string) ([]Manifest, error) {
	store, err := openStore(in)
	if err != nil {
		return nil, err
	}
	names, err := store.sets()
	if err != nil {
		return nil, err
	}
	var manifests []Manifest
	for _, name := range names {
		manifest, err := store.manifest(name)
		if err != nil {
			return nil, err
		}
		manifests = append(manifests, manifest)
	}
	return manifests, nil
}

// An Imported set is one in the data folder.
type Imported struct {
	Manifest
	Folder string   // that it lies in
	Files  []string // in the folder: those of its splits, and the manifest
}

// Locate finds the files of the imported set that ref names, which is the one that [Open] opens; they are checked as there. The
// sample has a name and no files. It is an error where ref is a file or a folder.
func Locate(ref string, o Options) (Imported, error) {
	set, err := Open(ref, o)
	if err != nil {
		return Imported{}, err
	}
	store, _ := openStore(o.Folder)
	if ref == "" || ref == SampleName {
		ref = set.Name
	}
	switch {
	case ref == SampleName:
		return Imported{Manifest: Manifest{Name: SampleName, SHA256: set.SHA256, Splits: set.Splits}}, nil
	case !store.has(ref):
		return Imported{}, fmt.Errorf("%s is not imported: proctor data import %s %s", ref, setting.Name.As("NAME"), setting.Command(ref))
	}
	manifest, err := store.manifest(ref)
	found := Imported{Manifest: manifest, Folder: store.path(ref)}
	for _, split := range set.Splits {
		found.Files = append(found.Files, split.Files...)
	}
	found.Files = append(found.Files, manifestFile)
	return found, err
}

// A store is the data folder: one folder a set.
type store struct{ folder string }

func openStore(folder string) (store, error) {
	if folder != "" {
		return store{folder}, nil
	}
	folder, err := Folder()
	return store{folder}, err
}

// setName matches valid names of sets: nothing that can be taken for a path.
var setName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// path is a set's folder: its place, or aside where an import was killed that was about to replace it.
func (s store) path(name string) string {
	if _, err := os.Lstat(s.place(name)); errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(s.aside(name)); err == nil {
			return s.aside(name)
		}
	}
	return s.place(name)
}

func (s store) place(name string) string { return filepath.Join(s.folder, name) }

// replaced begins the name of a set's folder that stands aside; no set can be called so.
const replaced = ".replaced-"

func (s store) aside(name string) string { return filepath.Join(s.folder, replaced+name) }

func (s store) has(name string) bool {
	if s.folder == "" || !setName.MatchString(name) {
		return false
	}
	_, err := os.Stat(filepath.Join(s.path(name), manifestFile))
	return err == nil
}

// sets are the names of the imported sets.
func (s store) sets() ([]string, error) {
	entries, err := os.ReadDir(s.folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		if name := strings.TrimPrefix(entry.Name(), replaced); s.has(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// names lists the imported sets for an error message.
func (s store) names() string {
	names, _ := s.sets()
	if len(names) == 0 {
		return "none (proctor data import or proctor data pull adds one)"
	}
	return strings.Join(names, ", ")
}

func (s store) manifest(name string) (Manifest, error) {
	return readManifest(os.DirFS(s.path(name)), s.path(name))
}

// readManifest reads the manifest of an imported set's folder; shown is how errors name it.
func readManifest(in fs.FS, shown string) (Manifest, error) {
	file := filepath.Join(shown, manifestFile)
	data, err := folder.ReadFrom(in, manifestFile)
	if err != nil {
		return Manifest{}, fmt.Errorf("%s: %w", file, folder.Bare(err))
	}
	var manifest Manifest
	if err := json.Unmarshal(data, &manifest); err != nil {
		return Manifest{}, fmt.Errorf("%s: %w; import the set again", file, err)
	}
	return manifest, nil
}

// open reads an imported set and compares it with its manifest.
func (s store) open(name string, o Options) (*Set, error) {
	if !o.Map.Empty() {
		return nil, fmt.Errorf("the set %s was imported with its mapping, and takes no other: import it again with %s, or give the file itself",
			name, setting.Map)
	}
	if o.Split != "" && o.Split != TestSplit {
		return nil, fmt.Errorf("the set %s was imported with the questions of one split: import its folder again with %s, or give the folder itself",
			name, setting.Split.As(o.Split))
	}
	shots := o.ShotsFile
	o.ShotsFile = ""
	set, files, err := openImported(name, os.DirFS(s.path(name)), s.path(name), o)
	if err != nil {
		return nil, err
	}
	if o.ShotsFile = shots; shots != "" {
		if set, err = readSet(name, files, o); err != nil {
			return nil, err
		}
	}
	set.Imported = true
	return set, nil
}

// openImported reads the files of an imported set as its manifest says, and refuses others than the imported ones. The names in
// the manifest are not followed: the files are those that [findSplits] finds.
func openImported(name string, in fs.FS, shown string, o Options) (*Set, []splitFiles, error) {
	manifest, err := readManifest(in, shown)
	if err != nil {
		return nil, nil, err
	}
	files, err := findSplits(in, shown, "")
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", shown, err)
	}
	for i, split := range files {
		at := slices.IndexFunc(manifest.Splits, func(imported Split) bool { return imported.Name == split.name })
		if at < 0 {
			return nil, nil, fmt.Errorf("%s: %s is not in the manifest; import the set again", shown, folder.Listed(split.files))
		}
		imported := manifest.Splits[at]
		if imported.mapping, err = storedMapping(imported.Map); err != nil {
			return nil, nil, fmt.Errorf("%s: %w; import the set again", filepath.Join(shown, manifestFile), err)
		}
		files[i].imported = &imported
	}
	set, err := readSet(name, files, o)
	if err == nil && set.SHA256 != manifest.SHA256 {
		err = fmt.Errorf("%s: the files are not the imported ones (sha256 %.12s…, the manifest says %.12s…); import the set again",
			shown, set.SHA256, manifest.SHA256)
	}
	return set, files, err
}
