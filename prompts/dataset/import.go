package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2/maybe"

	"proctor/backends/setting"
	"proctor/prompts/dataset/folder"
	"proctor/prompts/dataset/table"
)

// ImportOptions say how a set is imported.
type ImportOptions struct {
	Options
	Source  string // for the manifest; empty for the paths' own names
	Replace bool   // put the set in the place of a different one of the same name
}

// Import copies files, or one folder, into the data folder under a name, by which [Open] finds them from then on.
//
// Files named as in a folder (test…, validation…, dev…) go to that split; a single file of any other name is the test
// split. How the files are read is kept with them. The set is read before it is copied, and appears in one step: an
// import that fails or is interrupted leaves what was there. A different set of the same name is only replaced on demand.
func Import(name string, paths []string, o ImportOptions) (Manifest, error) {
	if err := checkName(name); err != nil {
		return Manifest{}, err
	}
	files, err := gather(paths, o.Split)
	if err != nil {
		return Manifest{}, err
	}
	if files, err = withShots(files, o.ShotsFile); err != nil {
		return Manifest{}, err
	}
	o.ShotsFile = ""
	set, err := readSet(name, files, o.Options)
	if err != nil {
		return Manifest{}, err
	}
	if o.Source == "" {
		o.Source = strings.Join(paths, " ")
	}
	return keep(set, files, o)
}

func checkName(name string) error {
	if !setName.MatchString(name) || name == SampleName {
		return fmt.Errorf("%q cannot name a set; take letters, digits, '.', '_', '-', and not %q", name, SampleName)
	}
	return nil
}

// keep puts a set that was read into the data folder, where no different one has its name.
func keep(set *Set, files []splitFiles, o ImportOptions) (Manifest, error) {
	store, err := openStore(o.Folder)
	if err != nil {
		return Manifest{}, err
	}
	if store.has(set.Name) && !o.Replace {
		present, err := store.manifest(set.Name)
		if err != nil {
			return Manifest{}, err
		}
		if present.SHA256 != set.SHA256 {
			return Manifest{}, fmt.Errorf("a different set named %q is already imported (sha256 %.12s…); take another name or "+
				"replace it with %s", set.Name, present.SHA256, setting.Replace)
		}
	}
	return store.put(set, files, o)
}

// gather sorts the paths into splits. chosen is the split of a folder to use.
func gather(paths []string, chosen string) ([]splitFiles, error) {
	if len(paths) == 0 {
		return nil, errors.New("nothing to import; name a file or a folder")
	}
	found := folder.Files{}
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p, folder.Bare(err))
		}
		if info.IsDir() && len(paths) > 1 {
			return nil, fmt.Errorf("%s is a folder; import a folder alone", p)
		}
		if info.IsDir() {
			files, err := findSplits(os.DirFS(p), p, chosen)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p, err)
			}
			return files, nil
		}
		if chosen != "" {
			return nil, fmt.Errorf("%s chooses files of a folder, and %s is a file: leave it out, or give the folder", setting.Split.As(chosen), p)
		}
		split, ok := folder.Split(filepath.Base(p))
		if slices.Contains(folder.Shots, split) {
			split = ValidationSplit
		} else {
			split = folder.Test
		}
		if !ok && len(paths) > 1 {
			return nil, fmt.Errorf("%s: which split is it? name it test.… or validation.…", p)
		}
		found[split] = append(found[split], folder.File{Path: filepath.Base(p), Shown: p})
	}
	for _, files := range found {
		if len(files) > 1 {
			if err := folder.Whole(files); err != nil {
				return nil, err
			}
		}
	}
	return fromDisk(found)
}

// fromDisk reads files that people named.
func fromDisk(found folder.Files) ([]splitFiles, error) {
	return arrange(found, false, func(f folder.File) ([]byte, error) { return folder.ReadFile(f.Shown) })
}

// put copies the files of set beside the final place and then moves them there.
func (s store) put(set *Set, files []splitFiles, o ImportOptions) (manifest Manifest, err error) {
	if err := os.MkdirAll(s.folder, 0o755); err != nil {
		return Manifest{}, fmt.Errorf("data folder: %w", err)
	}
	staging, err := os.MkdirTemp(s.folder, ".import-*") // a dot: no set can be called so
	if err != nil {
		return Manifest{}, fmt.Errorf("data folder: %w", err)
	}
	defer os.RemoveAll(staging)
	manifest = Manifest{Name: set.Name, Source: o.Source, SHA256: set.SHA256, Contradictions: set.Contradictions()}
	for i, split := range files {
		copied := set.Splits[i]
		extension := func(f folder.File) string { return table.Extension(copied.Format, f.Path) }
		if copied.Files, err = folder.Copy(split.files, split.name, extension, staging); err != nil {
			return Manifest{}, err
		}
		manifest.Splits = append(manifest.Splits, copied)
	}
	data, err := json.MarshalIndent(manifest, "", "  ")
	if err != nil {
		return Manifest{}, fmt.Errorf("manifest: %w", err)
	}
	if err := maybe.WriteFile(filepath.Join(staging, manifestFile), append(data, '\n'), 0o644); err != nil {
		return Manifest{}, err
	}
	if err := os.Chmod(staging, 0o755); err != nil { // MkdirTemp makes it private
		return Manifest{}, err
	}
	return manifest, s.moveIn(staging, set.Name)
}

// stepAside makes room for a set, as a folder cannot be renamed over another. Until the new one has its place, path finds the
// old one aside, also where the import is killed.
func (s store) stepAside(name string) error {
	if _, err := os.Lstat(s.place(name)); err != nil {
		return nil // what stands aside may be the set itself
	}
	return errors.Join(os.RemoveAll(s.aside(name)), os.Rename(s.place(name), s.aside(name)))
}

// moveIn gives the staged folder its name. The old set comes back if the new one can't take its place.
func (s store) moveIn(staging, name string) error {
	place, aside := s.place(name), s.aside(name)
	if err := s.stepAside(name); err != nil {
		return err
	}
	if err := os.Rename(staging, place); err != nil {
		_ = os.Rename(aside, place) // the first error is the one to report
		return err
	}
	if err := os.RemoveAll(aside); err != nil {
		return fmt.Errorf("the set is imported, but the old one remains in %s: %w", aside, err)
	}
	return nil
}
