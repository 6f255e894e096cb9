package spec

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"proctor/backends/setting"
	"proctor/prompts/dataset"
	"proctor/runner/journal"
)

// Flags are the flags that would start the run: the fields that differ from [Default], each with its arguments for Set.
func Flags(spec, defaults any) map[string][]string {
	all := map[string][]string{}
	otherwise := Fields(defaults)
	for i, f := range Fields(spec) {
		if !f.same(otherwise[i]) {
			all[f.Flag] = f.Texts()
		}
	}
	return all
}

// Flags are the run's, for its journal.
func (s *Spec) Flags() map[string][]string { return Flags(s, new(Default())) }

// Read sets the fields of a specification from a run's flags, except for those that except lists. Flags without a field are left to
// other.
func Read(spec any, flags map[string][]string, leave []string, other func(flag string) error) error {
	fields := map[string]Field{}
	for _, f := range Fields(spec) {
		fields[f.Flag] = f
	}
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		if slices.Contains(leave, name) {
			continue
		}
		f, known := fields[name]
		if !known {
			if err := other(name); err != nil {
				return fmt.Errorf("its flag %w", err)
			}
			continue
		}
		for _, text := range flags[name] {
			if err := f.Set(text); err != nil {
				return fmt.Errorf("its flag %w", err)
			}
		}
	}
	return nil
}

// A fromFile is a field whose flag may name a file.
type fromFile interface {
	File() string                  // its content; empty where the flag names none
	Keep(given, text string) error // sets the flag's text, and the content that the file had
}

// Files are the contents of the files that flags of a specification name, by flag; nil for none.
func Files(spec any) (all map[string]string) {
	for _, f := range Fields(spec) {
		if value, may := reflect.TypeAssert[fromFile](f.value.Addr()); may && value.File() != "" {
			if all == nil {
				all = map[string]string{}
			}
			all[f.Flag] = value.File()
		}
	}
	return all
}

// ReadKept is Read for flags whose files had these contents, whatever became of them.
func ReadKept(spec any, flags map[string][]string, files map[string]string, other func(flag string) error) error {
	if err := Read(spec, flags, slices.Collect(maps.Keys(files)), other); err != nil {
		return err
	}
	for _, f := range Fields(spec) {
		text, has := files[f.Flag]
		if value, may := reflect.TypeAssert[fromFile](f.value.Addr()); may && has {
			if err := value.Keep(strings.Join(flags[f.Flag], ""), text); err != nil {
				return Wrong(f.Flag, text, err)
			}
		}
	}
	return nil
}

// inHeader are the flags whose values a journal's header has in full, whatever became of the files that they name.
var inHeader = []string{"style", "rules", "system", "chat-template", "ids", "loops"}

// Of is the specification of a journal's run. other gets the flags that no field has.
func Of(h *journal.Header, other func(flag string) error) (Spec, error) {
	s := Default()
	if err := Read(&s, h.Flags, inHeader, other); err != nil {
		return s, err
	}
	given := func(flag string) string { return strings.Join(h.Flags[flag], "") }
	s.Style.Given, s.Rules.Given, s.ChatTemplate.Given = given("style"), given("rules"), given("chat-template")
	if h.StyleFile != nil {
		s.Style.Source = setting.Source{Given: cmp.Or(s.Style.Given, h.Style), Text: h.StyleFile.Text}
	}
	if h.RuleFile != nil {
		s.Rules.Source = setting.Source{Given: cmp.Or(s.Rules.Given, h.RuleSet), Text: h.RuleFile.Text}
	}
	if h.ChatTemplate != nil {
		name := cmp.Or(s.ChatTemplate.Given, "the journal's chat template")
		s.ChatTemplate.Source = setting.Source{Given: name, Text: h.ChatTemplate.Text}
	}
	if h.System != "" {
		s.System.Source = setting.Source{Given: cmp.Or(given("system"), h.System), Text: h.System}
	}
	if h.Flags["ids"] != nil {
		s.IDs, s.Subjects = IDs{given("ids"), h.Selection.Chosen}, Whole(h.Selection.Subjects)
	}
	if s.Loops = "end"; !h.Sampling.EndLoops && h.Direct == nil {
		s.Loops = "go-on"
	}
	s.Data.Ref = cmp.Or(s.Data.Ref, h.Dataset.Name) // the default may have changed
	if u := h.Selection.UntilDecided; u != nil {
		s.Alpha = u.Alpha
	}
	return s, nil
}

// Override copies the fields that a call gives into a specification.
func Override(spec, call any, given func(flag string) bool) {
	theirs := Fields(call)
	for i, f := range Fields(spec) {
		if given(f.Flag) {
			f.take(theirs[i])
		}
	}
}

// Resume adds to the specification of a started run the fields that the resuming call gives. Its identity stays: such a flag may only
// be repeated as it was. Exceptions are a larger limit, and a larger cap where items are asked again.
func Resume(was, call any, given func(flag string) bool) error {
	theirs := Fields(call)
	for i, f := range Fields(was) {
		stays := f.Nature == Identity && f.Flag != "limit" && (f.Flag != "max-tokens" || !given("again"))
		switch {
		case !given(f.Flag):
		case !stays:
			f.take(theirs[i])
		case !f.same(theirs[i]):
			return f.stays(theirs[i])
		}
	}
	return nil
}

// DrawAs draws the questions of another run, except where flags say otherwise.
func (q *Questions) DrawAs(was *journal.Selection, given func(flag string) bool) {
	if len(was.Chosen) > 0 {
		if !given("ids") {
			q.IDs, q.Subjects = IDs{strings.Join(was.Chosen, ","), was.Chosen}, Whole(was.Subjects)
		}
		return
	}
	if !given("subjects") {
		q.Subjects = Whole(was.Subjects)
	}
	if !given("seed") {
		q.Seed = was.Seed
	}
	q.First = q.First || was.First && !given("first")
	if !given("limit") {
		q.Limit = Limit(was.Draw())
	}
}

// stays says why a flag can't be given to a resumed run.
func (f Field) stays(wanted Field) error {
	flag, was, instead := "--"+f.Flag, "without it", "leave it out, or begin anew"
	switch on, text := f.Switch(), f.String(); {
	case on != nil && *on:
		flag, was = flag+"=false", "with it"
	case on != nil:
	default:
		if flag += " " + wanted.String(); text != "" {
			was = "with --" + f.Flag + " " + text
		}
	}
	switch f.Flag {
	case "rules":
		instead = "`proctor report RUN " + setting.Rules.As(wanted.String()) + "` marks it otherwise"
	case "max-tokens":
		instead = setting.Again.As("LENGTH") + " asks again what the cap cut, under a larger one"
	}
	return fmt.Errorf("%s: the run was started %s and keeps that: %s", flag, was, instead)
}

// A Claim is what a file from elsewhere specifies: it is shown, or the command line must repeat it.
type Claim struct {
	Shown       []string // flags and values of inputs
	Unconfirmed []string // flags and values that a file does not decide
	Decides     string   // what the first of these decides
}

// Claims are the claims of a file's specification, without the flags that the call gives.
func Claims(spec, defaults any, given func(flag string) bool) (c Claim) {
	otherwise := Fields(defaults)
	for i, f := range Fields(spec) {
		if given(f.Flag) || f.same(otherwise[i]) || f.Flag == "data" && f.String() == dataset.SampleName { // which this program has itself
			continue
		}
		switch flag := []string{"--" + f.Flag, f.String()}; f.Nature {
		case Input:
			c.Shown = append(c.Shown, flag...)
		case Destination, Code:
			switch {
			case c.Decides != "":
			case f.Flag == "extra-body":
				c.Decides = "what is sent with questions"
			case f.Nature == Code:
				c.Decides = "whose code is loaded"
			case f.Flag == "servers":
				c.Decides = "where questions and keys are sent"
			default:
				c.Decides = "where models are written"
			}
			c.Unconfirmed = append(c.Unconfirmed, flag...)
		}
	}
	return c
}
