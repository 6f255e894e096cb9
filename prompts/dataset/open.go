package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Options say how sets are opened. The zero value refuses bad rows and uses the usual data folder.
type Options struct {
	SkipBadRows bool   // leave bad rows out and list them in Set.BadRows
	Folder      string // the data folder; empty for [Folder]'s
}

// Open reads the set that ref names:
//
//	""           the imported set "mmlu-pro" if there is one, else the sample
//	"sample"     the embedded sample
//	NAME         an imported set
//	FILE         a parquet or JSON Lines file, taken as the test split
//	FOLDER       a folder with test and validation files, or with a folder data that has them
//
// An imported set wins over a file or folder of the same bare name; "./NAME" means the latter. The file format is
// told by content. Ids must be unique in a split.
func Open(ref string, o Options) (*Set, error) {
	store, _ := openStore(o.Folder) // without a data folder there are no imported sets, and a path needs none
	if ref == "" {
		ref = SampleName
		if store.has(PublishedName) {
			ref = PublishedName
		}
	}
	if ref == SampleName {
		return openFiles(SampleName, SampleName, sampleFolder(), o)
	}
	if store.has(ref) {
		return store.open(ref, o)
	}
	info, err := os.Stat(ref)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("dataset: %s: no such file, folder or imported set; imported: %s", ref, store.names())
	}
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	if info.IsDir() {
		return openFiles(baseName(ref), ref, os.DirFS(ref), o)
	}
	files, err := fromDisk(map[string][]file{TestSplit: {{path: filepath.Base(ref), shown: ref}}})
	if err != nil {
		return nil, err
	}
	return readSet(strings.TrimSuffix(baseName(ref), filepath.Ext(ref)), files, o)
}

// openFiles opens a folder. shown is how errors name it.
func openFiles(name, shown string, folder fs.FS, o Options) (*Set, error) {
	files, err := findSplits(folder, shown)
	if err != nil {
		return nil, fmt.Errorf("dataset: %s: %w", shown, err)
	}
	return readSet(name, files, o)
}

func readSet(name string, files []splitFiles, o Options) (*Set, error) {
	set := &Set{Name: name}
	for _, split := range files {
		if err := set.read(split); err != nil {
			return nil, err
		}
	}
	if len(set.BadRows) > 0 && !o.SkipBadRows {
		return nil, &BadRowsError{Rows: set.BadRows}
	}
	if len(set.Test) == 0 {
		return nil, fmt.Errorf("dataset: %s: no test questions", files[0].files[0].shown)
	}
	set.SHA256 = digest(set.Splits)
	return set, nil
}

// read adds one split to the set.
func (s *Set) read(split splitFiles) error {
	var questions []Question
	ids := map[int]string{} // where each was seen
	hash := sha256.New()
	read := Split{Name: split.name}
	for _, f := range split.files {
		hash.Write(f.data)
		read.Files = append(read.Files, f.path)
		var clash error
		err := readRows(f.data, func(r row) {
			q, warning, reason := r.question()
			if reason != "" {
				s.BadRows = append(s.BadRows, BadRow{File: f.shown, Row: r.number, Reason: reason})
				return
			}
			at := fmt.Sprintf("%s:%d", f.shown, r.number)
			if first, taken := ids[q.ID]; taken && clash == nil {
				clash = fmt.Errorf("dataset: %s: question id %d is already taken by %s; ids must be unique", at, q.ID, first)
			}
			ids[q.ID] = at
			if warning != "" {
				s.Warnings = append(s.Warnings, warning)
			}
			questions = append(questions, q)
		})
		if err != nil {
			return fmt.Errorf("dataset: %s: %w", f.shown, err)
		}
		if clash != nil {
			return clash
		}
	}
	read.Rows, read.SHA256 = len(questions), hex.EncodeToString(hash.Sum(nil))
	s.Splits = append(s.Splits, read)
	if split.name == ValidationSplit {
		s.Validation = questions
	} else {
		s.Test = questions
	}
	return nil
}

// readRows tells the format by content, since files arrive under all sorts of names.
func readRows(data []byte, each func(row)) error {
	if isParquet(data) {
		return readParquet(data, each)
	}
	start := bytes.TrimSpace(bytes.TrimPrefix(data, []byte(byteOrderMark)))
	switch {
	case len(start) == 0:
		return errors.New("empty file")
	case start[0] == '[':
		return errors.New("a JSON array; want JSON Lines, one object a line (jq -c '.[]' converts)")
	case start[0] != '{':
		return errors.New("neither a parquet file (it would begin with PAR1) nor JSON Lines (with {)")
	}
	readJSONL(data, each)
	return nil
}

// baseName is the last element of a path, also where it is written as "." or "..".
func baseName(ref string) string {
	if absolute, err := filepath.Abs(ref); err == nil {
		return filepath.Base(absolute)
	}
	return filepath.Base(ref)
}

// bareCause takes the path out of an error whose message will name it anyway.
func bareCause(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}
