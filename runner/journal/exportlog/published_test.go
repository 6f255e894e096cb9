package exportlog_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/runner/journal"
)

// publishedCode names a folder with a checkout of lm-evaluation-harness, under that name.
const publishedCode = "PROCTOR_PUBLISHED"

// TestPublishedCodeReadsTheSameAnswers exports 500 made items, and has lm-eval's own function find the answers in them.
func TestPublishedCodeReadsTheSameAnswers(t *testing.T) {
	folder := os.Getenv(publishedCode)
	if folder == "" {
		t.Skipf("set %s to a folder with a checkout of lm-evaluation-harness to hold exports against its code", publishedCode)
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip(err)
	}
	checkout := filepath.Join(folder, "lm-evaluation-harness")
	if _, err := os.Stat(checkout); err != nil {
		t.Skip(err)
	}
	for _, strip := range []bool{false, true} {
		all := exportedItems(t, export(t, madeUp(t, journal.Header{Strip: strip})))
		theirs := publishedLetters(t, python, checkout, all)
		differ := 0
		for i, it := range all {
			right := theirs[i] == it.gold
			if right != it.right || it.letter != "" && theirs[i] != it.letter {
				if differ++; differ < 5 {
					t.Errorf("%q, gold %s: ours %q (right: %v), theirs %q", it.Text, it.gold, it.letter, it.right, theirs[i])
				}
			}
		}
		assert.Check(t, len(all) == 499, "%d items", len(all))
	}
}

// An exportedItem is a completion, and what its log says of it.
type exportedItem struct {
	Text         string `json:"text"`
	gold, letter string
	right        bool
}

// exportedItems reads the items of a log.
func exportedItems(t *testing.T, files []string) (all []exportedItem) {
	t.Helper()
	for _, file := range files {
		content, err := os.ReadFile(file)
		assert.NilError(t, err)
		for dec := json.NewDecoder(bytes.NewReader(content)); dec.More(); {
			var e struct {
				Target   string
				Resps    [][]string
				Filtered []string `json:"filtered_resps"`
				Match    float64  `json:"exact_match"`
			}
			assert.NilError(t, dec.Decode(&e), "%s", file)
			all = append(all, exportedItem{e.Resps[0][0], e.Target, strings.TrimPrefix(e.Filtered[0], "[invalid]"), e.Match == 1})
		}
	}
	return all
}

// publishedLetters are what lm-eval's own code finds, empty where that is nothing.
func publishedLetters(t *testing.T, python, checkout string, all []exportedItem) []string {
	t.Helper()
	var asked bytes.Buffer
	for _, it := range all {
		assert.NilError(t, json.NewEncoder(&asked).Encode(it))
	}
	command := exec.Command(python, filepath.Join("testdata", "published.py"), checkout)
	command.Stdin, command.Stderr = &asked, os.Stderr
	command.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "PYTHONIOENCODING=utf-8")
	out, err := command.Output()
	assert.NilError(t, err)
	var letters []string
	for scan := bufio.NewScanner(bytes.NewReader(out)); scan.Scan(); {
		var letter *string
		assert.NilError(t, json.Unmarshal(scan.Bytes(), &letter), "%q", scan.Text())
		if letter == nil {
			letter = new(string)
		}
		letters = append(letters, *letter)
	}
	assert.Assert(t, len(letters) == len(all), "%d answers of %d items", len(letters), len(all))
	return letters
}
