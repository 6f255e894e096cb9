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

// Read sets the fields of a specification from a run's flags. The files that they name had these contents, whatever
// became of them. Flags without a field are left to other.
func Read(spec any, flags map[string][]string, files map[string]string, other func(flag string) error) error {
	fields := map[string]Field{}
	for _, f := range Fields(spec) {
		fields[f.Flag] = f
	}
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		f, known := fields[name]
		if !known {
			if err := other(name); err != nil {
				return fmt.Errorf("its flag %w", err)
			}
			continue
		}
		text, has := files[name]
		if value, may := reflect.TypeAssert[fromFile](f.value.Addr()); may && has {
			if err := value.Keep(strings.Join(flags[name], ""), text); err != nil {
				return fmt.Errorf("its flag %w", Wrong(name, text, err))
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

// Of is the specification of a journal's run. other gets the flags that no field has.
func Of(h *journal.Header, other func(flag string) error) (Spec, error) {
	s, files := Default(), map[string]string{}
	if h.StyleFile != nil {
		files["style"] = h.StyleFile.Text
	}
	if h.RuleFile != nil {
		files["rules"] = h.RuleFile.Text
	}
	if h.ChatTemplate != nil {
		files["chat-template"] = h.ChatTemplate.Text
	}
	if h.System != "" {
		files["system"] = h.System
	}
	if h.Flags["ids"] != nil {
		files["ids"] = strings.Join(h.Selection.Chosen, ",")
	}
	if err := Read(&s, h.Flags, files, other); err != nil {
		return s, err
	}
	if h.Flags["ids"] != nil {
		s.Subjects = Whole(h.Selection.Subjects)
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
