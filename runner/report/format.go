package report

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"

	"proctor/runner/journal"
	"proctor/runner/journal/output"
	"proctor/runner/mark/metrics"
	"proctor/runner/report/page"
)

// A Format is a way to write a report.
type Format = page.Format[*metrics.Summary]

// Names of the formats that other files know.
const (
	jsonFormat = "json"
	wideFormat = "csv"
	htmlFormat = "html"
)

// Formats are all formats, the default first. text and markdown are short, csv has a line per run, html is for a browser.
var Formats = formatsOf(shortPage)

// Full are the same formats, with everything in text and markdown, too.
var Full = formatsOf(fullPage)

// ForOne are the formats of one run's report: these, and a score for the Hugging Face Hub.
var ForOne = append(slices.Clone(Formats), Format{Name: "hub", Ext: ".yaml", Write: writeForHub})

func formatsOf(layOut func(*metrics.Summary) page.Page) page.Formats[*metrics.Summary] {
	return append(page.FormatsOf(layOut),
		Format{Name: wideFormat, Ext: ".csv", Write: func(w io.Writer, r *metrics.Summary) error { return writeWide(w, r) }},
		Format{Name: htmlFormat, Ext: ".html", Write: writeHTML})
}

// leading are the first columns of a wide table: what was run, and its score.
var leading = []string{
	"task", "pattern", "model.name", "model.quantization", "model.size_bytes", "model.bits_per_weight", "run.created",
	"run.dataset.name", "run.style", "run.shots", "run.prompt_mode", "rule_set", "items", "questions", "answered", "correct", "errors",
	"headline.name", "headline.value", "headline.ci.low", "headline.ci.high", "headline.baseline", "accuracy", "ci.low", "ci.high",
	"accuracy_answered", "baseline.expected", "baseline.p_value", "baseline.better_than_guessing", "chance_corrected",
	"macro_accuracy",
}

// ofPart matches the figures of a subject or a rule set, and wanted those of them that a wide table has.
var ofPart, wanted = regexp.MustCompile(`^(subjects|rules)\.`), regexp.MustCompile(`^[a-z]+\.[^.]*\.(accuracy|leaderboard_equivalent)$`)

// writeWide writes a line per run, which begins with the path by which the run was opened, if it was.
func writeWide(w io.Writer, reports ...*metrics.Summary) error {
	var out page.Wide
	for _, r := range reports {
		var line []page.Cell
		if r.Path != "" {
			line = append(line, page.Cell{Name: "path", Value: r.Path})
		}
		figures := out.Cells(r, leading, "by_options", "letters", "warnings", "repeats", "sequential")
		out.Add(append(line, slices.DeleteFunc(figures, func(c page.Cell) bool {
			return ofPart.MatchString(c.Name) && !wanted.MatchString(c.Name)
		})...)...)
	}
	return out.Write(w)
}

// Path is the file for a run's report with an extension.
func Path(run, ext string) string { return journal.Beside(run, "report"+ext) }

// Save puts the reports that people and programs read first beside a run's journal, each of them complete or not at all.
func Save(folder string, result *metrics.Summary) error {
	return writeFormats(func(ext string) string { return Path(folder, ext) }, Full, result)
}

// writeFormats writes a thing to a file in each format; at names the file for an extension.
func writeFormats[T any](at func(ext string) string, formats page.Formats[T], thing T) error {
	for _, format := range formats {
		var content bytes.Buffer
		if err := format.Write(&content, thing); err != nil {
			return err
		}
		path := at(format.Ext)
		if err := output.WriteFile(path, content.Bytes()); err != nil {
			return fmt.Errorf("writing %s: %w", path, err)
		}
	}
	return nil
}
