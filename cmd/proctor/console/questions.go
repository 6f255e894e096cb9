package console

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/flags"
	"proctor/prompts/dataset"
	"proctor/runner/ask/spec"
	"proctor/runner/mark/format"
)

// OpenSet opens --data, and notes how it reads a file with columns other than MMLU-Pro's.
func OpenSet(p *Program, d spec.Data) (*dataset.Set, error) {
	set, err := dataset.Open(d.Ref, d.Options())
	if err != nil {
		return nil, err
	}
	if set.Folder == "" || d.ShotsFile != "" {
		NoteReading(p, set.Splits)
	}
	return set, nil
}

func NoteReading(p *Program, splits []dataset.Split) {
	for _, split := range splits {
		if split.Map != "" || len(split.Notes) > 0 {
			p.Note("proctor: " + split.Name + " questions: " + split.Read())
		}
	}
}

// evalscope is the prefix of the styles that ask as evalscope does.
const evalscope = "evalscope"

// OpenForRun is OpenSet for a command that asks questions. A set without validation questions gets 0 shots, unless --shots was given. A
// question never serves as its own shot.
func OpenForRun(p *Program, q *spec.Questions) (*dataset.Set, error) {
	set, err := OpenSet(p, q.Data)
	if err != nil {
		return nil, err
	}
	if q.Style.Theirs != "" {
		p.Note("proctor: " + q.Style.Theirs + " is evalscope's own template: the style is " + q.Style.Given)
	}
	n := q.Limit.Limit
	if there, err := set.Select(dataset.Selection{Subjects: q.Subjects.Names}); err == nil && n > len(there) {
		p.Note(fmt.Sprintf("proctor: --limit %d: there are %s: all are asked", n, format.Several(len(there), "question")))
	}
	if n > 0 && strings.HasPrefix(q.Style.Given, evalscope) {
		p.Note(fmt.Sprintf("proctor: --limit %d asks %[1]d questions of all subjects together; evalscope's limit of %[1]d is "+
			"--limit %[1]d/subject --first", n))
	}
	if len(set.Validation) == 0 && q.Shots == spec.AutoShots {
		p.Note("proctor: " + set.Name + " has no validation questions: 0 shots; --shots-file FILE gives some")
	}
	if q.Shots != 0 && len(set.Overlaps) > 0 {
		p.Note(fmt.Sprintf("proctor: %s of %s left out as shots, since the test split has them too; `proctor data check` lists them",
			english.Plural(len(set.Overlaps), "validation question", ""), set.Name))
	}
	return set, nil
}

// published says how to get the sets that people name, by name.
var published = map[string]string{
	dataset.PublishedName: "`proctor data pull` downloads it",
	"gpqa": "its authors give its CSV files out under their terms, and what they give is imported with " +
		"`proctor data import --name gpqa gpqa_diamond.csv`",
}

// NamesSet says whether a word is the name of a set: an imported one, the sample, or a published one. It is an error if a file has the name
// too, or the set is missing.
func NamesSet(word string) (bool, error) {
	imported, _ := dataset.List("") // opening a set reports the error
	there := word == dataset.SampleName || slices.ContainsFunc(imported, func(m dataset.Manifest) bool { return m.Name == word })
	how := published[word]
	if !there && how == "" {
		return false, nil
	}
	file, err := os.Stat(word)
	switch {
	case err == nil && !file.IsDir():
		return false, fmt.Errorf("%s is the name of a set, and of a file here: give --data %[1]s for the set, or --model ./%[1]s", word)
	case err != nil && !there:
		return false, fmt.Errorf("%s is not imported: %s", word, how)
	}
	return true, nil
}

// RulesFlag chooses another rule set: to gets its name, or the text of a file.
func RulesFlag(w *flags.Words, to *string) cli.Flag {
	return w.Read("rules", func(ref string) error {
		var rules spec.Rules
		err := rules.Set(ref)
		*to = rules.String()
		return spec.Wrong("rules", ref, err)
	})
}
