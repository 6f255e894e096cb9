package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"al.essio.dev/pkg/shellescape"

	"proctor/runner/mark/letters"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/results"
	"proctor/runner/mark/timing"
	"proctor/runner/report/html"
	"proctor/runner/report/items"
	"proctor/runner/report/plots"
)

// writeHTML writes a file for a browser: the verdict, every figure with what can be drawn of it, and the items themselves, which are
// read from the run's journal again. Figures that were not made from a journal on disk have no items.
func writeHTML(w io.Writer, s *metrics.Summary) error {
	d, err := drawnOf(s)
	if err != nil {
		return err
	}
	run := d.run
	var out html.Document
	head := html.Head{Kind: "report", Alert: d.Validity.String(), Title: d.Title(), Notices: d.About(metrics.AboutRun)}
	var more []html.Link
	if run != nil {
		more = []html.Link{{Href: "#items", Text: "Items"}}
	}
	if d.Validity.Valid {
		head.Verdict, head.Decides = d.sentence(), d.decides()
	}
	if other := d.otherPrompt(); other != "" {
		head.Decides = append(head.Decides, "Asked with a "+other+".")
	}
	out.Begin(head, d.parts(), more...)
	if run != nil {
		if err := items.AddBrowser(&out, run, s.Path); err != nil {
			return err
		}
	}
	return out.Write(w)
}

// drawn is a document with what drawings need beside the figures.
type drawn struct {
	document
	run    *results.Run // nil where there is no journal
	active []timing.Active
}

func drawnOf(s *metrics.Summary) (d drawn, err error) {
	run, _, err := s.Marked()
	if err != nil {
		return drawn{}, err
	}
	d = drawn{document: documentOf(s), run: run}
	if run != nil {
		d.active = timing.ActiveOf(run)
	}
	return d, nil
}

// Figures are what an HTML report draws, for files of their own.
func Figures(s *metrics.Summary) ([]plots.Figure, error) {
	d, err := drawnOf(s)
	if err != nil {
		return nil, err
	}
	return plots.Of(d.parts()), nil
}

// parts are those of the document, in their order.
func (d drawn) parts() []html.Part {
	result := html.PartOf(d.resultSection())
	result.Drawings = []html.Drawing{d.scale()}
	picked, early := []html.Part{d.letterPart()}, []html.Part(nil)
	if _, over := letters.TakesOver(d.Letters.Counts); over { // what is wrong with the run is seen at once
		picked, early = nil, picked
	}
	all := slices.Concat([]html.Part{result}, early, d.taskParts(), []html.Part{d.subjectPart(), d.failurePart(), d.rulePart()}, picked,
		[]html.Part{d.lengthPart(), d.speedPart(), d.runPart()})
	if notes := d.methodNotes(); len(notes) > 0 { // of the marks that the parts before have set
		all[0].Notes = append(all[0].Notes, notes...)
	}
	return all
}

func (d drawn) runPart() html.Part {
	run := d.Section()
	if d.run != nil && len(d.run.Header.Flags) > 0 {
		run.Facts.Add("again", d.command(), "")
	}
	run.Facts.Add("fingerprint", cmp.Or(d.Run.Fingerprint, "none"), "")
	if sum := d.Model.FileSHA256; sum != "" {
		run.Facts.Add("model's sha256", sum, "")
	}
	return html.PartOf(run)
}

// command is the command line that asks the same again.
func (d drawn) command() string {
	words := []string{"proctor", "run"}
	var names []string
	for name := range d.run.Header.Flags {
		if name != "out" && name != "resume" && name != "format" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		values := d.run.Header.Flags[name]
		if len(values) == 0 {
			words = append(words, "--"+name)
		}
		for _, value := range values {
			words = append(words, fmt.Sprintf("--%s=%s", name, value))
		}
	}
	return shellescape.QuoteCommand(words)
}
