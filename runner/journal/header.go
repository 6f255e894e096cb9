package journal

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"proctor/backends"
	"proctor/prompts/task"
)

// Version is the version of the format that this package writes, and the only one it reads.
const Version = 1

// The kinds of line.
const (
	KindRun     = "run"
	KindItem    = "item"
	KindInterim = "look"
	KindPartial = "partial"
)

// A Setup is what was run, with what, on what: the fields of a header that a report has, too.
type Setup struct {
	ToolVersion string        `json:"tool_version"` // of the program that wrote the journal
	Created     time.Time     `json:"created"`
	Dataset     Dataset       `json:"dataset"`
	Style       string        `json:"style"`                      // name@version
	System      string        `json:"system,omitempty"`           // given for the run, in the place of the style's system text
	Direct      *Direct       `json:"direct,omitempty"`           // of a task's direct variant, how the letters were asked for; nil of others
	Shots       int           `json:"shots"`                      // before each question; -1 where an imported log does not say
	PromptMode  string        `json:"prompt_mode"`                // raw or chat, already decided where the user said auto
	Think       string        `json:"think,omitempty"`            // on, off, or empty where the model was left to its default
	Effort      string        `json:"reasoning_effort,omitempty"` // low, medium or high, where the model was told
	Budgets     []int         `json:"think_budgets,omitempty"`    // tokens of thinking, ascending, at which it is closed by force
	Sampling    Sampling      `json:"sampling"`
	Repeats     int           `json:"repeats,omitempty"` // how often every item is asked; 0 for once
	Selection   Selection     `json:"selection"`
	Host        backends.Host `json:"host"`
	Notes       []string      `json:"notes,omitempty"` // what a reader of the report should know, a sentence each
	Fingerprint string        `json:"fingerprint"`     // see [Header.Digest]; Create sets it
	Shard       *Shard        `json:"shard,omitempty"` // which part of a run this is; nil for a whole one

	// TemplateArguments are an object of variables that people gave the chat template.
	TemplateArguments json.RawMessage `json:"template_args,omitempty"`
}

// A Header is a journal's first line: everything that is the same for all items of a run.
type Header struct {
	Kind    string `json:"kind"`              // KindRun; Create sets it
	Version int    `json:"version"`           // Version; Create sets it
	Task    string `json:"task"`              // as package task has it, such as mmlu_pro_binary or mmlu_pro_direct
	Pattern string `json:"pattern,omitempty"` // circular or all_possible; empty for tasks without variants
	Setup
	StyleFile *Source             `json:"style_file,omitempty"`     // of a style that is not built in
	RuleSet   string              `json:"rule_set"`                 // the run's own; a report can apply any other
	RuleFile  *Source             `json:"rule_file,omitempty"`      // of a rule set that is not built in
	Strip     bool                `json:"strip_thinking"`           // the style marks what follows the model's thinking only
	Thinking  []string            `json:"thinking_marks,omitempty"` // names of [backends.Thinkings] that mark it; none: tags
	Model     backends.ModelInfo  `json:"model"`
	Backend   backends.EngineInfo `json:"backend"`
	Logprobs  *Logprobs           `json:"logprobs,omitempty"` // what the file beside the journal holds; nil: there is none
	Load      time.Duration       `json:"load_ns,omitempty"`  // from opening the model to being ready; 0 where unknown
	Preambles map[string]string   `json:"preambles"`          // by subject: the rendered text that all its items share
	Flags     map[string][]string `json:"flags,omitempty"`    // given when the run was begun, without dashes, with their values

	Merged *Merged `json:"merged,omitempty"` // the shards that the run was made of; nil for one that was asked as it is

	// Extended are the draws that the run was extended from, the first one first: each holds all questions of those before it,
	// and Selection all of them. The run asks their questions in that order.
	Extended []Draw `json:"extended_from,omitempty"`
	// AskedAgain are the times that the cap on tokens was raised, the first one first; Sampling has the cap that holds now.
	AskedAgain []AskedAgain `json:"asked_again,omitempty"`

	// Date is what chat templates were told; nil of raw prompts, and in older journals, whose templates were told when they began.
	Date *time.Time `json:"date,omitempty"`
	// ChatTemplate is one that people wrote, which was taken instead of the model's own.
	ChatTemplate *Source `json:"chat_template,omitempty"`
}

// Dated is the date that chat templates were told, or would be.
func (h Header) Dated() time.Time {
	if h.Date != nil {
		return *h.Date
	}
	return h.Created
}

// Direct says how a run of a task's direct variant asked for the letters.
type Direct struct {
	// Spellings are the tokens that write the letter A where the answer stands, such as "A" and " A"; the other letters have the
	// same ones. A letter's probability is the sum of its spellings'.
	Spellings []string `json:"spellings"`
}

// A Draw says how many questions a run drew, in one of three ways; the zero Draw: all.
type Draw struct {
	Limit      int     `json:"limit,omitempty"`
	PerSubject int     `json:"per_subject,omitempty"`
	Share      float64 `json:"share,omitempty"` // of each subject's
}

// Draw is the selection's own.
func (s *Selection) Draw() Draw {
	if s.PerSubject > 0 || s.Share > 0 {
		return Draw{PerSubject: s.PerSubject, Share: s.Share}
	}
	return Draw{Limit: s.Limit}
}

// A Source is a file that people wrote for a run, whole: the journal can be read where the file is not.
type Source struct {
	SHA256 string `json:"sha256"` // of Text, lower-case hex
	Text   string `json:"text"`
}

// SourceOf is nil for an empty text.
func SourceOf(text string) *Source {
	if text == "" {
		return nil
	}
	return &Source{SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte(text))), Text: text}
}

// Digest is the file's sha256, empty for no file.
func (s *Source) Digest() string {
	if s == nil {
		return ""
	}
	return s.SHA256
}

// changed says whether the text is not that of the sha256.
func (s *Source) changed() bool { return s != nil && SourceOf(s.Text).Digest() != s.SHA256 }

// Logprobs say what package logprobs' file beside the journal holds of each token.
type Logprobs struct {
	Top              int    `json:"top"`               // how many of the likeliest tokens
	VocabularySHA256 string `json:"vocabulary_sha256"` // under the same one, token ids mean the same
}

// Dataset says what was asked from, exactly.
type Dataset struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"` // over the files' content, lower-case hex
	Split  string `json:"split"`
	Rows   int    `json:"rows"` // of the split, before any selection
	// Options are how many the question of the split with most of them has; 0 where unknown.
	Options int `json:"options,omitempty"`
	// Subjects are how many the split has, before any selection; 0 where unknown.
	Subjects int `json:"subjects,omitempty"`
	// Map says which columns of the files held what; empty for MMLU-Pro's own.
	Map string `json:"map,omitempty"`
	// Published names the published set that the questions are of, by their content, whatever Name says; empty for others.
	Published string `json:"published,omitempty"`
}

// PublishedAs names the published set that the questions are of. In journals from before there was Published, the files' sha256
// says it.
func (d Dataset) PublishedAs() string {
	if d.Published == "" && d.SHA256 == task.PublishedSHA256 {
		return task.Published
	}
	return d.Published
}

// Title is what [task.Task.Title] makes a title of.
func (d Dataset) Title() (name string, isPublished bool) { return d.Name, d.PublishedAs() != "" }

// Sampling says how completions were drawn and where they ended.
type Sampling struct {
	backends.Sampling
	MaxTokens int      `json:"max_tokens"`
	Stop      []string `json:"stop"`
	EndLoops  bool     `json:"end_loops,omitempty"` // completions that repeat themselves were ended there
	// From is who says each number, of a run that took the model's own: the file, the Modelfile, the server, llama.cpp's default.
	From map[string]string `json:"from,omitempty"`
}

// Selection says which of the dataset's questions were asked.
type Selection struct {
	Limit     int      `json:"limit"`            // 0: all of them
	First     bool     `json:"first"`            // the first Limit instead of a stratified draw
	Seed      uint64   `json:"seed"`             // of the draw
	Subjects  []string `json:"subjects"`         // empty: all
	Chosen    []string `json:"chosen,omitempty"` // questions by id, or by their places in a subject as in math:1-50; empty: none one by one
	IDsSHA256 string   `json:"ids_sha256"`       // see [DigestIDs]: over the ids of all items the run is going to ask
	Items     int      `json:"items"`            // how many ids those are; 0 where unknown
	Questions int      `json:"questions"`        // how many questions they come from; 0 where unknown
	// Where one of these is set, so many of each subject, or that share of each one's, were drawn, and Limit counts them.
	PerSubject int     `json:"per_subject,omitempty"`
	Share      float64 `json:"share,omitempty"`
	// UntilDecided ends the run once it is decided how it does beside another one; nil for a run that asks all its items.
	UntilDecided *UntilDecided `json:"until_decided,omitempty"`
}

// StopsItself says whether the run may end before all its items are asked.
func (s *Selection) StopsItself() bool { return s.UntilDecided != nil }

// UntilDecided is what a run is held against, question after question.
type UntilDecided struct {
	Run         string  `json:"run"`         // as the user gave it
	Fingerprint string  `json:"fingerprint"` // of that run
	Margin      float64 `json:"margin"`      // a share: how much worse still counts as not worse
	Alpha       float64 `json:"alpha"`       // chance of a wrong decision, at most
}

// Shard names one part of a run that was split over several machines.
type Shard struct {
	Index     int    `json:"index"` // from 1
	Count     int    `json:"count"`
	Questions int    `json:"questions,omitempty"`  // that it asks
	Items     int    `json:"items,omitempty"`      // that it asks
	IDsSHA256 string `json:"ids_sha256,omitempty"` // see [DigestIDs]: over those items' ids
}

// Merged says what shards a run was made of.
type Merged struct {
	Count   int           `json:"count"`
	Missing []int         `json:"missing,omitempty"` // shards that were not there, from 1
	Shards  []MergedShard `json:"shards"`            // the others, in order
}

// Lacks are the shards that were not there; none of a run that was asked as it is.
func (m *Merged) Lacks() []int {
	if m == nil {
		return nil
	}
	return m.Missing
}

// A MergedShard is where and when a shard was asked.
type MergedShard struct {
	Index       int           `json:"index"`
	ToolVersion string        `json:"tool_version"`
	Created     time.Time     `json:"created"`
	Load        time.Duration `json:"load_ns,omitempty"`
	Host        backends.Host `json:"host"`
}

// ascending says whether budgets are numbers from 0 on, each larger than the one before.
func ascending(budgets []int) bool {
	for i, n := range budgets {
		if n < 0 || i > 0 && n <= budgets[i-1] {
			return false
		}
	}
	return true
}

// check refuses a header that a reader could not make sense of. Its errors name the field, not the file.
func (h *Header) check() error {
	switch {
	case h.Kind != KindRun:
		return fmt.Errorf("kind is %q where %q, the run's own line, must come first: is this a proctor journal?", h.Kind, KindRun)
	case h.Version != Version:
		return fmt.Errorf("version is %d and this program reads %d: use the proctor that wrote it (tool_version %q)", h.Version, Version,
			h.ToolVersion)
	case h.Task == "":
		return errors.New("task is empty")
	case h.StyleFile.changed():
		return errors.New("style_file's text does not have its sha256: the line was changed")
	case h.RuleFile.changed():
		return errors.New("rule_file's text does not have its sha256: the line was changed")
	case h.ChatTemplate.changed():
		return errors.New("chat_template's text does not have its sha256: the line was changed")
	case !ascending(h.Budgets):
		return fmt.Errorf("think_budgets are %d, not numbers from 0 on that ascend", h.Budgets)
	case h.Repeats < 0:
		return fmt.Errorf("repeats is %d, not 0 or more", h.Repeats)
	case h.Shard != nil && (h.Shard.Count < 1 || h.Shard.Index < 1 || h.Shard.Index > h.Shard.Count):
		return fmt.Errorf("shard %d of %d does not exist", h.Shard.Index, h.Shard.Count)
	}
	for subject, text := range h.Preambles {
		if !utf8.ValidString(text) || !utf8.ValidString(subject) {
			return fmt.Errorf("the preamble of subject %q is not UTF-8", subject)
		}
	}
	return nil
}

// AskedAgain is one time that a run's cap on tokens was raised, and some of its items were asked again under the new one.
type AskedAgain struct {
	MaxTokens int      `json:"max_tokens"` // the cap until then
	Which     []string `json:"which"`      // of the items with a completion, those asked again: see package again
}

// Cap is the cap on tokens that an item was asked under.
func (h *Header) Cap(r *Record) int {
	if r.MaxTokens == 0 && len(h.AskedAgain) > 0 {
		return h.AskedAgain[0].MaxTokens // a line from before the cap was raised
	}
	return cmp.Or(r.MaxTokens, h.Sampling.MaxTokens)
}
