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

	"proctor/runner/journal"
	"proctor/runner/journal/exportlog"
)

// publishedCode names a folder with checkouts of harnesses, each under its repository's name.
const publishedCode = "PROCTOR_PUBLISHED"

// checkouts are the repositories' names, by format.
var checkouts = map[string]string{"tiger": "MMLU-Pro", "lm-eval": "lm-evaluation-harness", "evalscope": "evalscope"}

// TestPublishedCodeReadsTheSameAnswers exports 500 made items in each harness's shape, and has its own function find the answers in them.
func TestPublishedCodeReadsTheSameAnswers(t *testing.T) {
	folder := os.Getenv(publishedCode)
	if folder == "" {
		t.Skipf("set %s to a folder with checkouts of MMLU-Pro, lm-evaluation-harness and evalscope to hold exports against their code", publishedCode)
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip(err)
	}
	for _, strip := range []bool{false, true} {
		run := madeUp(t, journal.Header{Strip: strip})
		for _, shape := range exportlog.Formats {
			t.Run(shape.Name, func(t *testing.T) {
				checkout := filepath.Join(folder, checkouts[shape.Name])
				if _, err := os.Stat(checkout); err != nil {
					t.Skip(err)
				}
				all := exportedItems(t, export(t, run, shape))
				theirs := publishedLetters(t, python, shape.Name, checkout, all)
				differ := 0
				for i, it := range all {
					right := theirs[i] == it.gold
					if right != it.right || it.letter != "" && theirs[i] != it.letter {
						if differ++; differ < 5 {
							t.Errorf("%q of %d options, gold %s: ours %q (right: %v), theirs %q", it.Text, it.Options, it.gold, it.letter, it.right, theirs[i])
						}
					}
				}
				if len(all) != 499 {
					t.Errorf("%d items", len(all))
				}
				t.Logf("%d items, %d differ", len(all), differ)
			})
		}
	}
}

// An exportedItem is a completion, and what its log says of it.
type exportedItem struct {
	Text         string `json:"text"`
	Options      int    `json:"options"`
	gold, letter string
	right        bool
}

// exportedItems reads the items of a log in any of the shapes.
func exportedItems(t *testing.T, files []string) (all []exportedItem) {
	t.Helper()
	type element struct {
		Options []string
		Answer  string
		Outputs string `json:"model_outputs"`
		Pred    *string

		Doc      *struct{ Options []string }
		Target   string
		Resps    [][]string
		Filtered []string `json:"filtered_resps"`
		Match    float64  `json:"exact_match"`

		Sample *struct {
			Score struct {
				Value      map[string]float64
				Extracted  string `json:"extracted_prediction"`
				Prediction string
			}
			Meta struct{ Choices []string } `json:"sample_metadata"`
		} `json:"sample_score"`
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var elements []element
		if content[0] == '[' {
			err = json.Unmarshal(content, &elements)
		} else {
			for dec := json.NewDecoder(bytes.NewReader(content)); dec.More() && err == nil; {
				var e element
				err = dec.Decode(&e)
				elements = append(elements, e)
			}
		}
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, e := range elements {
			switch {
			case e.Sample != nil:
				s := e.Sample.Score
				all = append(all, exportedItem{s.Prediction, len(e.Sample.Meta.Choices), e.Target, s.Extracted, s.Value["acc"] == 1})
			case e.Doc != nil:
				all = append(all, exportedItem{e.Resps[0][0], len(e.Doc.Options), e.Target, strings.TrimPrefix(e.Filtered[0], "[invalid]"), e.Match == 1})
			default:
				it := exportedItem{Text: e.Outputs, Options: len(e.Options), gold: e.Answer}
				if e.Pred != nil {
					it.letter, it.right = *e.Pred, *e.Pred == e.Answer
				}
				all = append(all, it)
			}
		}
	}
	return all
}

// publishedLetters are what the harness's own code finds, empty where that is nothing.
func publishedLetters(t *testing.T, python, name, checkout string, all []exportedItem) []string {
	t.Helper()
	var asked bytes.Buffer
	for _, it := range all {
		if err := json.NewEncoder(&asked).Encode(it); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command(python, filepath.Join("testdata", "published.py"), name, checkout)
	command.Stdin, command.Stderr = &asked, os.Stderr
	command.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "PYTHONIOENCODING=utf-8")
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	var letters []string
	for scan := bufio.NewScanner(bytes.NewReader(out)); scan.Scan(); {
		var letter *string
		if err := json.Unmarshal(scan.Bytes(), &letter); err != nil {
			t.Fatalf("%s: %q: %v", name, scan.Text(), err)
		}
		if letter == nil {
			letter = new(string)
		}
		letters = append(letters, *letter)
	}
	if len(letters) != len(all) {
		t.Fatalf("%s: %d answers of %d items", name, len(letters), len(all))
	}
	return letters
}
