package dataset

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"proctor/backends/setting"
	"proctor/prompts/dataset/folder"
	"proctor/prompts/dataset/table"
	"proctor/prompts/task"
)

// Options say how sets are opened. The zero value refuses bad rows and uses the usual data folder.
type Options struct {
	SkipBadRows bool    // leave bad rows out and list them in Set.BadRows
	Folder      string  // the data folder; empty for [Folder]'s
	Map         Mapping // which columns of a file hold what; the zero value for what is recognised
	Split       string  // of a folder: whose files have the questions; empty for test
	ShotsFile   string  // a file of the questions that shots are made of, instead of the set's own; empty for these
}

// Open reads the set that ref names:
//
//	""           the imported set "mmlu-pro" if there is one, else the sample
//	"sample"     the embedded sample
//	NAME         an imported set
//	FILE         a parquet, JSON Lines, JSON or CSV file, taken as the test split
//	FOLDER       a folder with test and validation files, or with a folder data that has them
//
// A set is called as its file or folder, after the folder above where many are called so: law/test for law/test.jsonl.
// An imported set wins over a file or folder of the same bare name; "./NAME" means the latter. The file format is
// recognised by content. Ids must be unique in a split. An imported set knows its mapping, and takes no other.
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
		return nil, fmt.Errorf("%s: no such file, folder or imported set; imported: %s", ref, store.names())
	}
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return openFiles(NameOf(ref, o.Split), ref, os.DirFS(ref), o)
	}
	if o.Split != "" {
		return nil, fmt.Errorf("%s chooses files of a folder, and %s is a file: leave it out, or give the folder", setting.Split.As(o.Split), ref)
	}
	files, err := fromDisk(folder.Files{folder.Test: {{Path: filepath.Base(ref), Shown: ref}}})
	if err != nil {
		return nil, err
	}
	return readSet(NameOf(ref, ""), files, o)
}

// openFiles opens a folder. shown is how errors name it.
func openFiles(name, shown string, in fs.FS, o Options) (*Set, error) {
	files, err := findSplits(in, shown, o.Split)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shown, err)
	}
	return readSet(name, files, o)
}

func readSet(name string, files []splitFiles, o Options) (*Set, error) {
	files, err := withShots(files, o.ShotsFile)
	if err != nil {
		return nil, err
	}
	set := &Set{Name: name}
	for _, split := range files {
		if err := set.read(split, o.Map); err != nil {
			return nil, err
		}
	}
	if len(set.BadRows) > 0 && !o.SkipBadRows {
		return nil, &BadRowsError{Rows: set.BadRows}
	}
	if len(set.Test) == 0 {
		return nil, fmt.Errorf("%s: no test questions%s", files[0].files[0].Shown, allBad(set.BadRows))
	}
	set.Overlaps = set.overlaps()
	set.SHA256 = digest(set.Splits)
	return set, nil
}

// opened is a file of a split.
type opened struct {
	*table.Table
	shown   string
	subject string // of all its rows that name none; empty where they do
}

// read adds one split to the set. What a split's files have imported with them comes before a mapping that is given.
func (s *Set) read(split splitFiles, given Mapping) error {
	hash := sha256.New()
	read := Split{Name: split.name}
	var tables []opened
	if split.imported != nil {
		given = split.imported.mapping
	}
	if m, ok := headless(split.files[0]); ok && given.Empty() {
		given = m
	}
	for _, f := range split.files {
		hash.Write(f.Data)
		read.Files = append(read.Files, f.Path)
		t, err := table.Open(f.Data, table.Options{
			Name: f.Shown, Separator: table.Separators[given.Separator], NoHeader: given.NoHeader,
		})
		if err != nil {
			return fmt.Errorf("%s: %w", f.Shown, err)
		}
		tables = append(tables, opened{t, f.Shown, f.Subject})
		if f.Subject != "" {
			read.Subjects = append(read.Subjects, f.Subject)
		}
	}
	read.SHA256, read.Format = hex.EncodeToString(hash.Sum(nil)), tables[0].Format
	toRow, err := split.reader(&read, tables, given)
	if err != nil {
		return err
	}
	left := leftOut{}
	questions, err := s.questions(tables, toRow, read.mapping, left)
	if err != nil {
		return err
	}
	if split.imported == nil { // whose notes have it
		read.Notes = append(append(read.Notes, left.notes()...), split.notes...)
	}
	read.Rows = len(questions)
	s.Splits = append(s.Splits, read)
	if split.name == ValidationSplit {
		s.Validation = questions
	} else {
		s.Test = questions
	}
	return nil
}

// reader returns a function that makes rows of a split's tables. It notes in the split how it reads them.
func (s splitFiles) reader(to *Split, tables []opened, given Mapping) (func(table.Row) row, error) {
	if s.imported != nil {
		to.mapping, to.Shape, to.Notes = s.imported.mapping, s.imported.Shape, s.imported.Notes
	} else {
		first := tables[0]
		m, shape, err := mappingOf(first.Table, given)
		if err != nil && s.name == ValidationSplit && !given.Empty() { // it may have columns of its own
			m, shape, err = mappingOf(first.Table, Mapping{})
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", first.shown, err)
		}
		to.mapping, to.Shape = m, shape
		if m.Answer != "" && m.AnswerIs == "" {
			is, note, err := readingOf(m, tables)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", first.shown, err)
			}
			to.mapping.AnswerIs = is
			if note != "" {
				to.Notes = append(to.Notes, note)
			}
		}
	}
	if to.Map = to.mapping.String(); to.Map == "" {
		return nativeRow, nil
	}
	return func(r table.Row) row { return rowOf(to.mapping, r) }, nil
}

// questions reads the rows of a split; what can't be a question joins the bad rows.
func (s *Set) questions(tables []opened, toRow func(table.Row) row, m Mapping, left leftOut) (questions []Question, err error) {
	ids := map[int]string{} // where each was seen
	numbered := 0           // rows of the files before
	for _, t := range tables {
		var clash error
		last := 0
		err := t.Rows(columnsOf(m), func(r table.Row) bool {
			last = r.Number
			r.Number += numbered
			read := toRow(r)
			if read.category = cmp.Or(read.category, t.subject); left.takes(t, r, read, m) {
				return true
			}
			q, reason := read.question()
			if reason != "" {
				s.BadRows = append(s.BadRows, BadRow{File: t.shown, Row: r.Line, Reason: reason})
				return true
			}
			at := fmt.Sprintf("%s:%d", t.shown, r.Line)
			if first, taken := ids[q.ID]; taken && clash == nil {
				clash = fmt.Errorf("%s: question id %d is already taken by %s; ids must be unique", at, q.ID, first)
			}
			ids[q.ID] = at
			questions = append(questions, q)
			return clash == nil
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.shown, err)
		}
		if clash != nil {
			return nil, clash
		}
		numbered += last
	}
	return questions, nil
}

func columnsOf(m Mapping) []string {
	if m.Empty() {
		return nativeColumns
	}
	return m.Columns()
}

// allBad explains a set without questions by its bad rows.
func allBad(rows []BadRow) string {
	if len(rows) == 0 {
		return ""
	}
	return fmt.Sprintf(": %s and no other: %s", Counted(len(rows), "bad row", ""), firstRows(rows))
}

// anyones are names of files and folders that do not identify a set.
var anyones = append(slices.Clone(folder.Names), "data", "questions")

// NameOf names a file or folder. Names such as "test" or "data" get the folder above in front, and a chosen split comes last: law/test,
// law/train.
func NameOf(ref, split string) string {
	at := ref
	if absolute, err := filepath.Abs(ref); err == nil { // ref may be "." or ".."
		at = absolute
	}
	name := filepath.Base(at)
	if is, ok := folder.Split(name); ok {
		name = is
	} else if info, err := os.Stat(ref); err == nil && !info.IsDir() {
		name = strings.TrimSuffix(name, filepath.Ext(name))
	}
	for last := name; slices.Contains(anyones, strings.ToLower(last)); {
		if at = filepath.Dir(at); at == filepath.Dir(at) {
			break
		}
		last = filepath.Base(at)
		name = last + "/" + name
	}
	if split != "" && split != folder.Test {
		name += "/" + split
	}
	return name
}

// SampleName is the reference of the embedded sample.
const SampleName = task.Sample

// The sample is written for this project in MMLU-Pro's schema: 14 subjects, 12 test and 5 validation questions each.
//
//go:embed sample/test.jsonl sample/validation.jsonl
var sampleFiles embed.FS

func sampleFolder() fs.FS {
	folder, err := fs.Sub(sampleFiles, SampleName)
	if err != nil {
		panic(err) // a constant name that is not a valid path
	}
	return folder
}
