package console

import (
	"fmt"
	"os"
	"slices"

	"proctor/prompts/dataset"
)

// published is how a set gets here that people name, by its name.
var published = map[string]string{
	dataset.PublishedName: "`proctor data pull` downloads it",
	"gpqa": "its authors give its CSV files out under their terms, and what they give is imported with " +
		"`proctor data import --name gpqa gpqa_diamond.csv`",
}

// NamesSet says whether a word is the name of a set: of an imported one, of the sample, or of a published one that people name.
// It is an error where a file has the name too, or the set is not there.
func NamesSet(word string) (bool, error) {
	imported, err := dataset.List("")
	if err != nil {
		imported = nil // whoever opens a set hears of it
	}
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
