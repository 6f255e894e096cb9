package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"proctor/backends/setting"
	"proctor/runner/journal/output"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/results"
	"proctor/runner/report/html"
	"proctor/runner/report/items"
	"proctor/runner/report/page"
)

// writeHTML writes a file for a browser: the verdict, every figure with its drawings, and the items, which are read from the run's journal
// again. Figures that were not made from a journal on disk have no items.
func writeHTML(w io.Writer, s *metrics.Summary) error { return writeDocument(w, s, html.Document{}) }

// SaveRunning writes the HTML report of a run that still lasts. It has no items, which cost the most to write, and
// loads itself anew after the given time, until [Save] replaces it.
func SaveRunning(folder string, s *metrics.Summary, again time.Duration) error {
	figures := *s
	figures.Marked = nil
	var content bytes.Buffer
	if err := writeDocument(&content, &figures, html.Document{Reload: again}); err != nil {
		return err
	}
	return output.WriteFile(Path(folder, ".html"), content.Bytes())
}

func writeDocument(w io.Writer, s *metrics.Summary, out html.Document) error {
	d := drawnOf(s)
	head := html.Head{Kind: "report", Alert: d.Validity.String(), Title: d.title(), Notices: d.About(metrics.AboutRun)}
	var more []html.Link
	if d.run != nil {
		more = []html.Link{{Href: "#items", Text: "Items"}}
	}
	if d.Validity.Valid && d.Items > 0 {
		head.Verdict, head.Decides = d.sentence(), d.decides()
	}
	if other := d.otherPrompt(); other != "" {
		head.Decides = append(head.Decides, "Asked with a "+other+".")
	}
	if out.Reload > 0 {
		head.Notices = append([]string{"The run still lasts. This page follows it; the items come at its end."},
			head.Notices...)
	}
	out.Begin(head, d.drawn(), more...)
	if d.run != nil {
		if err := items.AddBrowser(&out, d.run, s.Path); err != nil {
			return err
		}
	}
	return out.Write(w)
}

// drawnOf is the document with what its drawings need beside the figures.
func drawnOf(s *metrics.Summary) document {
	d := documentOf(s)
	d.run = s.Marked
	return d
}

// drawn returns the sections in the browser's order. The run's own section comes last, and the letters' early if one letter dominates, so
// that the reader sees at once what is wrong with the run.
func (r document) drawn() []page.Section {
	all := r.sections()
	if _, over := results.TakesOver(r.Letters.Counts); over {
		at := slices.IndexFunc(all, func(s page.Section) bool { return s.Title == lettersTitle })
		early := all[at]
		all = slices.Insert(slices.Delete(all, at, at+1), 1, early)
	}
	if len(all) > 0 {
		all[0].Notes = append(all[0].Notes, r.methodNotes()...) // of the marks that the sections have set
	}
	run := r.runSection()
	if r.run != nil && len(r.run.Header.Flags) > 0 {
		run.Facts.Add("again", r.command(), "")
	}
	run.Facts.Add("fingerprint", cmp.Or(r.Run.Fingerprint, "none"), "")
	if sum := r.Model.FileSHA256; sum != "" {
		run.Facts.Add("model's sha256", sum, "")
	}
	return append(all, run)
}

// command is the command line that repeats the run.
func (r document) command() string {
	words := []string{"proctor", "run"}
	for _, name := range slices.Sorted(maps.Keys(r.run.Header.Flags)) {
		if name == "out" || name == "resume" || name == "format" {
			continue
		}
		values := r.run.Header.Flags[name]
		if len(values) == 0 {
			words = append(words, "--"+name)
		}
		for _, value := range values {
			words = append(words, fmt.Sprintf("--%s=%s", name, value))
		}
	}
	return setting.Command(words...)
}
