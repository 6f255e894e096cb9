package dataset

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/renameio/v2/maybe"

	"proctor/backends/setting"
)

// PublishedName is the name under which the published MMLU-Pro is kept, and opened by default.
const PublishedName = "mmlu-pro"

const manifestFile = "manifest.json"

// A Manifest describes an imported set. It lies beside the set's files as manifest.json.
type Manifest struct {
	Name   string  `json:"name"`
	Source string  `json:"source"`        // where it came from, for people
	SHA256 string  `json:"sha256"`        // the set's, as Set.SHA256
	Map    string  `json:"map,omitempty"` // that was given; see [ReadMapping]
	Splits []Split `json:"splits"`
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
func List(in string) (manifests []Manifest, err error) {
	store, err := openStore(in)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(store.folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		names = append(names, strings.TrimPrefix(entry.Name(), replaced))
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if !store.has(name) {
			continue
		}
		manifest, err := store.manifest(name)
		if err != nil {
			return nil, err
		}
		manifests = append(manifests, manifest)
	}
	return manifests, nil
}

// Kept lists the files in the folder of an imported set: those of its splits, and the manifest.
func (s *Set) Kept() (files []string) {
	if s.Folder != "" {
		files = []string{manifestFile}
		for _, split := range s.Splits {
			files = append(files, split.Files...)
		}
	}
	return files
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
		return s.aside(name)
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

func (s store) manifest(name string) (manifest Manifest, err error) {
	shown := filepath.Join(s.path(name), manifestFile)
	data, err := onDisk(shown).read()
	if err != nil {
		return manifest, err
	}
	if err := json.Unmarshal(data, &manifest); err != nil {
		return manifest, fmt.Errorf("%s: %w; import the set again", shown, err)
	}
	return manifest, nil
}

// open reads an imported set, and refuses other files than the imported ones. The names in the manifest are not
// followed: the files are those that [find] finds.
func (s store) open(name string, o Options) (*Set, error) {
	if !o.Map.Empty() {
		return nil, fmt.Errorf("the set %s was imported with its mapping, and takes no other: import it again with %s, "+
			"or give the file itself", name, setting.Map)
	}
	if o.Split != "" && o.Split != TestSplit {
		return nil, fmt.Errorf("the set %s was imported with the questions of one split: import its folder again with %s, "+
			"or give the folder itself", name, setting.Split.As(o.Split))
	}
	manifest, err := s.manifest(name)
	if err != nil {
		return nil, err
	}
	if manifest.Map != "" {
		if o.Map, err = ReadMapping(manifest.Map); err != nil {
			return nil, fmt.Errorf("%s: %w; import the set again", filepath.Join(s.path(name), manifestFile), err)
		}
	}
	found, err := find(os.DirFS(s.path(name)), s.path(name))
	if err != nil {
		return nil, err
	}
	set, _, err := readSet(name, s.path(name), found, Options{Map: o.Map})
	if err != nil {
		return nil, err
	}
	if set.SHA256 != manifest.SHA256 {
		return nil, fmt.Errorf("%s: the files are not the imported ones (sha256 %.12s…, in the manifest %.12s…); "+
			"import the set again", s.path(name), set.SHA256, manifest.SHA256)
	}
	if o.ShotsFile != "" {
		if set, _, err = readSet(name, s.path(name), found, o); err != nil {
			return nil, err
		}
	}
	if len(manifest.Splits) > 0 {
		set.Splits[0].Notes = manifest.Splits[0].Notes // of files that were left out
	}
	set.Folder = s.path(name)
	return set, nil
}

// ImportOptions say how a set is imported.
type ImportOptions struct {
	Options
	Source  string // for the manifest; empty for the path
	Replace bool   // put the set in the place of a different one of the same name
}

// Import copies a file or a folder's files into the data folder under a name, by which [Open] finds them from then on.
// The mapping is kept with them. The set is read before it is copied, and appears in one step: an import that fails or
// is interrupted leaves what was there. A different set of the same name is only replaced on demand.
func Import(name, ref string, o ImportOptions) (Manifest, error) {
	if !setName.MatchString(name) || name == SampleName {
		return Manifest{}, fmt.Errorf("%q cannot name a set; take letters, digits, '.', '_', '-', and not %q", name,
			SampleName)
	}
	found, err := gather(ref, o.Split)
	if err != nil {
		return Manifest{}, err
	}
	set, parts, err := readSet(name, ref, found, o.Options)
	if err != nil {
		return Manifest{}, err
	}
	store, err := openStore(o.Folder)
	if err != nil {
		return Manifest{}, err
	}
	if store.has(name) && !o.Replace {
		present, err := store.manifest(name)
		if err != nil {
			return Manifest{}, err
		}
		if present.SHA256 != set.SHA256 {
			return Manifest{}, fmt.Errorf("a different set named %q is already imported (sha256 %.12s…); take another name "+
				"or replace it with %s", name, present.SHA256, setting.Replace)
		}
	}
	manifest := Manifest{name, cmp.Or(o.Source, ref), set.SHA256, o.Map.String(), set.Splits}
	return manifest, store.put(&manifest, parts)
}

// put copies files beside the final place and then moves them there. The manifest gets their names.
func (s store) put(manifest *Manifest, parts []part) error {
	if err := os.MkdirAll(s.folder, 0o755); err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	staging, err := os.MkdirTemp(s.folder, ".import-*") // a dot: no set can be called so
	if err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	defer os.RemoveAll(staging)
	endings := map[string]string{
		"parquet": ".parquet", "JSON Lines": ".jsonl", "JSON": ".json", "CSV, separated by tabs": ".tsv",
	}
	for i, p := range parts {
		manifest.Splits[i].Files = nil
		for j, f := range p.files {
			name := p.split // by which [find] knows the split, and the subject
			if f.subject != "" {
				name += "/" + strings.ReplaceAll(f.subject, " ", "_") + "_" + p.split
			} else if len(p.files) > 1 {
				name += fmt.Sprintf("-%05d-of-%05d", j, len(p.files))
			}
			name += cmp.Or(endings[p.tables[j].Format], ".csv")
			manifest.Splits[i].Files = append(manifest.Splits[i].Files, name)
			place := filepath.Join(staging, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
				return err
			}
			if err := maybe.WriteFile(place, f.data, 0o644); err != nil {
				return err
			}
		}
	}
	data, err := json.MarshalIndent(manifest, "", "  ")
	if err != nil {
		return fmt.Errorf("manifest: %w", err)
	}
	if err := maybe.WriteFile(filepath.Join(staging, manifestFile), append(data, '\n'), 0o644); err != nil {
		return err
	}
	if err := os.Chmod(staging, 0o755); err != nil { // MkdirTemp makes it private
		return err
	}
	return s.moveIn(staging, manifest.Name)
}

// moveIn gives the staged folder its name. A folder cannot be renamed over another: the old set stands aside, where
// path finds it until the new one has its place, also where the import is killed. It comes back if that fails.
func (s store) moveIn(staging, name string) error {
	if _, err := os.Lstat(s.place(name)); err == nil { // else what stands aside may be the set itself
		if err := errors.Join(os.RemoveAll(s.aside(name)), os.Rename(s.place(name), s.aside(name))); err != nil {
			return err
		}
	}
	if err := os.Rename(staging, s.place(name)); err != nil {
		_ = os.Rename(s.aside(name), s.place(name)) // the first error is the one to report
		return err
	}
	if err := os.RemoveAll(s.aside(name)); err != nil {
		return fmt.Errorf("the set is imported, but the old one remains in %s: %w", s.aside(name), err)
	}
	return nil
}
