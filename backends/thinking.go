package backends

import "cmp"

// Thinking is a way in which models mark what they think before they answer, in the text of a completion.
type Thinking struct {
	Name        string
	Open, Close string // what stands before the thinking, and behind it
	// Special are the tokens that a vocabulary may write the marks with which have no text otherwise. A backend that turns
	// tokens into text by itself gives them theirs where a vocabulary has all of them.
	Special []string
	// Force closes thinking which the model did not end itself, where that takes more than Close.
	Force string
}

// closing is the text that closes thinking by force.
func (t Thinking) closing() string { return cmp.Or(t.Force, t.Close) }

// Around is a text behind what was thought before it, in the marks. Thinking that no answer follows, nor the end of one, stays open.
func (t Thinking) Around(thinking, text string, ended bool) string {
	switch {
	case thinking == "":
		return text
	case text == "" && !ended:
		return t.Open + thinking
	}
	return t.Open + thinking + t.Close + text
}

// Tags is the way of Qwen, GLM, DeepSeek and most others, in which backends give thinking that comes apart from the answer.
var Tags = Thinking{
	Name: "tags", Open: "<think>", Close: "</think>", Special: []string{"<think>", "</think>"}, Force: "\n</think>\n\n",
}

// Thinkings are the ways that are known. A journal keeps the names of those that there were when it was written.
var Thinkings = []Thinking{
	Tags,
	inTags("mistral", "[THINK]", "[/THINK]"),
	// What is not said in the final channel is no answer: between analysis and final there may be a commentary.
	{
		Name: "harmony", Open: "<|channel|>analysis<|message|>", Close: "<|channel|>final<|message|>",
		Special: []string{"<|start|>", "<|channel|>", "<|message|>", "<|end|>"},
		Force:   "<|end|><|start|>assistant<|channel|>final<|message|>",
	},
	inTags("cohere", "<|START_THINKING|>", "<|END_THINKING|>"),
	inTags("seed", "<seed:think>", "</seed:think>"),
	inTags("kimi", "◁think▷", "◁/think▷"),
	{Name: "gemma", Open: "<|channel>thought", Close: "<channel|>", Special: []string{"<|channel>", "<channel|>"}},
}

func inTags(name, open, closing string) Thinking {
	return Thinking{Name: name, Open: open, Close: closing, Special: []string{open, closing}}
}

// ThinkingNames are the names of all [Thinkings].
func ThinkingNames() []string {
	names := make([]string, len(Thinkings))
	for i, t := range Thinkings {
		names[i] = t.Name
	}
	return names
}
