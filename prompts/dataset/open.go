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

	"github.com/dustin/go-humanize/english"

	"proctor/prompts/dataset/table"
	"proctor/prompts/task"
)

// Options say how sets are opened. The zero value uses the usual data folder.
type Options struct {
	Folder    string  // the data folder; empty for [Folder]'s
	Map       Mapping // which columns of a file hold what; the zero value for what is recognised
	Split     string  // of a folder: whose files have the questions; empty for test
	ShotsFile string  // a file of the questions that shots are made of, instead of the set's own; empty for these
}

// SampleName is the reference of the embedded sample.
const SampleName = task.Sample

// The sample is written for this project in MMLU-Pro's schema: 14 subjects, 12 test and 5 validation questions each.
//
//go:embed sample/test.jsonl sample/validation.jsonl
var sampleFiles embed.FS

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
	if ref != SampleName && store.has(ref) {
		return store.open(ref, o)
	}
	name := SampleName
	var found map[string][]file
	if ref == SampleName {
		folder, err := fs.Sub(sampleFiles, SampleName)
		if err != nil {
			return nil, err
		}
		if found, err = find(folder, SampleName); err != nil {
			return nil, err
		}
	} else if _, err := os.Stat(ref); errors.Is(err, fs.ErrNotExist) {
		var names []string
		sets, _ := List(o.Folder)
		for _, set := range sets {
			names = append(names, set.Name)
		}
		return nil, fmt.Errorf("%s: no such file, folder or imported set; imported: %s", ref,
			cmp.Or(strings.Join(names, ", "), "none (proctor data import or proctor data pull adds one)"))
	} else if found, err = gather(ref, o.Split); err != nil {
		return nil, err
	} else {
		name = NameOf(ref, o.Split)
	}
	set, _, err := readSet(name, ref, found, o)
	return set, err
}

// readSet makes a set of files, and returns these, too. shown is how errors name them.
func readSet(name, shown string, found map[string][]file, o Options) (*Set, []part, error) {
	parts, err := choose(found, shown, o.Split)
	if err != nil {
		return nil, nil, err
	}
	if o.ShotsFile != "" {
		shots, err := readPart(ValidationSplit, []file{onDisk(o.ShotsFile)})
		if err != nil {
			return nil, nil, fmt.Errorf("shots: %w", err)
		}
		parts = []part{parts[0], shots}
	}
	set := &Set{Name: name}
	var bad []BadRow
	var asked Mapping // by which the questions are read
	for _, p := range parts {
		split, m, rows, err := p.read(o.Map, asked)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", p.files[0].shown, err)
		}
		var questions []Question
		seen := map[int]string{} // where each id was
		for _, r := range rows {
			if first, taken := seen[r.question.ID]; taken && r.Bad == "" {
				return nil, nil, fmt.Errorf("%s: question id %d is already taken by %s; ids must be unique", r.at(),
					r.question.ID, first)
			}
			if r.Bad != "" {
				bad = append(bad, BadRow{File: r.file.shown, Row: r.Line, Reason: r.Bad})
				continue
			}
			seen[r.question.ID] = r.at()
			questions = append(questions, r.question)
		}
		split.Rows = len(questions)
		if set.Splits = append(set.Splits, split); p.split == ValidationSplit {
			set.Validation = questions
		} else {
			set.Test, asked = questions, m
		}
	}
	if len(bad) > 0 {
		return nil, nil, &BadRowsError{Rows: bad}
	}
	if len(set.Test) == 0 {
		return nil, nil, fmt.Errorf("%s: no test questions", shown)
	}
	if !slices.ContainsFunc(set.Test, func(q Question) bool { return !task.IsPublished(q.ID, q.Text, q.Options) }) {
		set.Published = task.Published
	}
	set.Overlaps, set.SHA256 = set.overlaps(), digest(set.Splits)
	return set, parts, nil
}

// read finds how a part's columns are read, and reads its rows. A mapping that is given holds for the questions; shots
// may have columns of their own. asked is how the questions were read.
func (p part) read(given, asked Mapping) (split Split, m Mapping, rows []*row, err error) {
	if len(p.tables[0].Rows) == 0 {
		return split, m, nil, errors.New("no rows: a file has a row for each question")
	}
	m, err = mappingOf(p.tables[0], given)
	if err != nil && p.split == ValidationSplit && !given.Empty() {
		m, err = mappingOf(p.tables[0], Mapping{})
	}
	if err != nil {
		return split, m, nil, err
	}
	all := m.rows(p)
	rows = slices.DeleteFunc(slices.Clone(all), func(r *row) bool { // sets with a file a subject keep some answers secret
		return r.file.subject != "" && r.Bad == "" && table.Blank(r.Cells[m.of("answer")])
	})
	if m.of("answer") != asked.of("answer") || m.of("options") != asked.of("options") {
		asked.reading = ""
	}
	note, err := m.settle(rows, asked.reading)
	if err != nil {
		return split, m, nil, err
	}
	split = Split{Name: p.split, Format: p.tables[0].Format, Shape: m.layout, Notes: p.notes}
	if left := len(all) - len(rows); left > 0 {
		split.Notes = append(split.Notes, english.Plural(left, "row", "")+" left out (no answer)")
	}
	if note != "" {
		split.Notes = append(split.Notes, note)
	}
	texts, hash := map[string]bool{}, sha256.New()
	for _, r := range rows {
		texts[r.question.Text] = true
	}
	if len(rows) >= 10 && 5*len(texts) <= len(rows) {
		split.Notes = append(split.Notes, fmt.Sprintf("%s has %d different texts in %d rows: is it the question's column?",
			m.of("question"), len(texts), len(rows)))
	}
	if !m.plain() || !given.Empty() {
		split.Map = m.String()
	}
	for _, f := range p.files {
		hash.Write(f.data)
		split.Files = append(split.Files, f.path)
		if f.subject != "" {
			split.Subjects = append(split.Subjects, f.subject)
		}
	}
	split.SHA256 = hex.EncodeToString(hash.Sum(nil))
	return split, m, rows, nil
}

// NameOf names a file or folder: test, data and the like with the folder above, a split last: law/test, law/train.
func NameOf(ref, split string) string {
	at := ref
	if absolute, err := filepath.Abs(ref); err == nil { // ref may be "." or ".."
		at = absolute
	}
	name := filepath.Base(at)
	if m := ofSplit.FindStringSubmatch(name); m != nil {
		name = m[1]
	} else if info, err := os.Stat(ref); err == nil && !info.IsDir() {
		name = strings.TrimSuffix(name, filepath.Ext(name))
	}
	anyones := append(slices.Clone(splitNames), "data", "questions")
	for last := name; slices.Contains(anyones, strings.ToLower(last)); name = last + "/" + name {
		if at = filepath.Dir(at); at == filepath.Dir(at) {
			break
		}
		last = filepath.Base(at)
	}
	if split != "" && split != TestSplit {
		name += "/" + split
	}
	return name
}
