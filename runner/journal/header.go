package journal

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"proctor/backends"
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

// A Setup says what was run, how, and on what machine: the header's fields that a report has, too.
type Setup struct {
	Dataset Dataset `json:"dataset"`
	Style   string  `json:"style"`            // name@version
	System  string  `json:"system,omitempty"` // given for the run, in the place of the style's system text
	// how a task's direct variant asked for the letters; absent for other tasks
	Direct *Direct `json:"direct,omitempty"`
	// before each question; -1 where an imported log does not say
	Shots      int    `json:"shots"`
	PromptMode string `json:"prompt_mode"`                // raw or chat; auto has been resolved
	Think      string `json:"think,omitempty"`            // on, off, or empty where the model was left to its default
	Effort     string `json:"reasoning_effort,omitempty"` // low, medium or high; empty if none was set
	// tokens of thinking, ascending, after which it is closed by force
	Budgets     []int     `json:"think_budgets,omitempty"`
	Sampling    Sampling  `json:"sampling"`
	Repeats     int       `json:"repeats,omitempty"` // how often every item is asked; 0 for once
	Selection   Selection `json:"selection"`
	Notes       []string  `json:"notes,omitempty"` // what a reader of the report should know, a sentence each
	Fingerprint string    `json:"fingerprint"`     // see [Header.Digest]; Create sets it

	// TemplateArguments are the user's variables for the chat template, an object.
	TemplateArguments json.RawMessage `json:"template_args,omitempty"`
}

// A Header is a journal's first line: everything that is the same for all items of a run.
type Header struct {
	Kind    string  `json:"kind"`              // KindRun; Create sets it
	Version int     `json:"version"`           // Version; Create sets it
	Task    string  `json:"task"`              // as package task has it, such as mmlu_pro_binary or mmlu_pro_direct
	Pattern string  `json:"pattern,omitempty"` // circular or all_possible; empty for tasks without variants
	History History `json:"history"`
	Setup
	StyleFile *Source             `json:"style_file,omitempty"`     // of a style that is not built in
	RuleSet   string              `json:"rule_set"`                 // the run's own; a report can apply any other
	RuleFile  *Source             `json:"rule_file,omitempty"`      // of a rule set that is not built in
	Strip     bool                `json:"strip_thinking"`           // only what follows the model's thinking is marked
	Thinking  []backends.Thinking `json:"thinking_marks,omitempty"` // that the chat template has, besides [backends.Tags]
	Model     backends.ModelInfo  `json:"model"`
	Backend   backends.EngineInfo `json:"backend"`
	Logprobs  *Logprobs           `json:"logprobs,omitempty"` // describes the file beside the journal; nil: there is none
	Preambles map[string]string   `json:"preambles"`          // by subject: the rendered text that all its items share
	Flags     map[string][]string `json:"flags,omitempty"`    // the command's at the start of the run, without dashes

	// Date is the date that chat templates got; nil for raw prompts.
	Date *time.Time `json:"date,omitempty"`
	// ChatTemplate is the user's template, which replaced the model's own.
	ChatTemplate *Source `json:"chat_template,omitempty"`
}

// Dated is the date that chat templates got, or would get.
func (h Header) Dated() time.Time {
	if h.Date != nil {
		return *h.Date
	}
	return h.History.First().Created
}

// Direct says how a run of a task's direct variant got the letters' probabilities.
type Direct struct {
	// Spellings are the tokens that write the letter A at the answer's place, such as "A" and " A"; other letters have the like. A
	// letter's probability is the sum over its spellings.
	Spellings []string `json:"spellings"`
}

// A Draw says how many questions a run drew, in one of three ways; the zero Draw means all.
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

// A Source is the content of a user's file, so that the journal can be read without the file.
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

// changed says whether the text no longer has the recorded sha256.
func (s *Source) changed() bool { return s != nil && SourceOf(s.Text).Digest() != s.SHA256 }

// Logprobs describes the file of package logprobs beside the journal.
type Logprobs struct {
	Top              int    `json:"top"`               // how many of the likeliest tokens
	VocabularySHA256 string `json:"vocabulary_sha256"` // under the same one, token ids mean the same
}

// Dataset identifies the set that the questions come from.
type Dataset struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"` // over the files' content, lower-case hex
	Split  string `json:"split"`
	Rows   int    `json:"rows"` // of the split, before any selection
	// Options are how many the question of the split with most of them has; 0 where unknown.
	Options int `json:"options,omitempty"`
	// Subjects are how many the split has, before any selection; 0 where unknown.
	Subjects int `json:"subjects,omitempty"`
	// Map assigns columns of the files to fields; empty for MMLU-Pro's own columns.
	Map string `json:"map,omitempty"`
	// Published names the published set that the questions come from, found by their content and not by Name; empty for other sets.
	Published string `json:"published,omitempty"`
}

// Title gives the arguments of [task.Task.Title].
func (d Dataset) Title() (name string, isPublished bool) { return d.Name, d.Published != "" }

// Sampling says how tokens were drawn and where completions ended.
type Sampling struct {
	backends.Sampling
	MaxTokens int      `json:"max_tokens"`
	Stop      []string `json:"stop"`
	EndLoops  bool     `json:"end_loops,omitempty"` // completions that repeat themselves were ended there
	// [SeedsByItem] where tokens are drawn; "" before each item had its own seed
	Seeds string `json:"seeds,omitempty"`
	// From says where each number comes from in a run that used the model's own: the file, the Modelfile, the server, llama.cpp's
	// default.
	From map[string]string `json:"from,omitempty"`
}

// SeedsByItem says that items have the seeds of [Sampling.SeedOf].
const SeedsByItem = "item"

// SeedOf returns the seed of an item, which a repeat's id tells apart. It has 31 bits: some servers take no more.
func (s *Sampling) SeedOf(id string) uint32 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", s.Seed, id))
	return binary.BigEndian.Uint32(sum[:]) >> 1
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
	// Where one of these is set, that number, or that share, of each subject's questions was drawn, and Limit is their total.
	PerSubject int     `json:"per_subject,omitempty"`
	Share      float64 `json:"share,omitempty"`
	// UntilDecided is the reference of a run that ends once their comparison is decided; nil for a run that asks all its items.
	UntilDecided *UntilDecided `json:"until_decided,omitempty"`
}

// StopsItself says whether the run may end before all its items are asked.
func (s *Selection) StopsItself() bool { return s.UntilDecided != nil }

// UntilDecided describes the reference run that a run is compared with, question after question.
type UntilDecided struct {
	Run         string  `json:"run"`         // as the user gave it
	Fingerprint string  `json:"fingerprint"` // of the reference run's settings, see [Header.DigestSettings]
	Margin      float64 `json:"margin"`      // a share: how much worse still counts as not worse
	Alpha       float64 `json:"alpha"`       // chance of a wrong decision, at most
}

// A Part is what a run asked with one draw of questions, under one cap, on one machine.
type Part struct {
	ToolVersion string        `json:"tool_version,omitempty"` // of the program that asked it
	Created     time.Time     `json:"created,omitzero"`       // when it began
	Host        backends.Host `json:"host,omitzero"`
	Load        time.Duration `json:"load_ns,omitempty"` // from opening the model to being ready; 0 where unknown
	Questions   Draw          `json:"questions,omitzero"`
	MaxTokens   int           `json:"max_tokens,omitempty"` // the cap
	Shard       *Shard        `json:"shard,omitempty"`      // of the questions; nil for all
}

// MostShards is the largest number of shards.
const MostShards = 1_000_000

// A Shard is one of the parts into which a run's questions were divided, for several machines.
type Shard struct {
	Index     int    `json:"index"` // from 1
	Count     int    `json:"count"`
	Questions int    `json:"questions,omitempty"`  // that it asks
	Items     int    `json:"items,omitempty"`      // that it asks
	IDsSHA256 string `json:"ids_sha256,omitempty"` // see [DigestIDs]: over those items' ids
}

// A History has a run's parts in the order in which they began. The last one is what the run asks now.
type History []Part

// First is the part that began first; the zero Part in an empty history.
func (h History) First() Part {
	if len(h) == 0 {
		return Part{}
	}
	return h[0]
}

// Last is what the run asks now; the zero Part in an empty history.
func (h History) Last() Part {
	if len(h) == 0 {
		return Part{}
	}
	return h[len(h)-1]
}

// Draws are the draws of questions. Each contains the one before it.
func (h History) Draws() (draws []Draw) {
	for _, part := range h {
		draws = append(draws, part.Questions)
	}
	return slices.Compact(draws)
}

// Caps are the caps on tokens, in ascending order; several where items were asked again. See package again.
func (h History) Caps() (caps []int) {
	for _, part := range h {
		caps = append(caps, part.MaxTokens)
	}
	slices.Sort(caps)
	return slices.Compact(caps)
}

// Shards says of how many shards the history is, and which of them it lacks; 0 and none for a run that was not divided.
func (h History) Shards() (count int, missing []int) {
	there := map[int]bool{}
	for _, part := range h {
		if part.Shard != nil {
			count, there[part.Shard.Index] = part.Shard.Count, true
		}
	}
	for index := 1; index <= count; index++ {
		if !there[index] {
			missing = append(missing, index)
		}
	}
	return count, missing
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
		return fmt.Errorf("version is %d and this program reads %d: use the proctor that wrote it", h.Version, Version)
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
	}
	for _, part := range h.History {
		if s := part.Shard; s != nil && (s.Count > MostShards || s.Index < 1 || s.Index > s.Count) {
			return fmt.Errorf("shard %d of %d does not exist", s.Index, s.Count)
		}
	}
	for subject, text := range h.Preambles {
		if !utf8.ValidString(text) || !utf8.ValidString(subject) {
			return fmt.Errorf("the preamble of subject %q is not UTF-8", subject)
		}
	}
	return nil
}

// Cap is the cap on tokens that an item was asked under.
func (h *Header) Cap(r *Record) int { return cmp.Or(r.MaxTokens, h.Sampling.MaxTokens) }
