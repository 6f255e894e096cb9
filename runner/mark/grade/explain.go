package grade

import (
	"fmt"
	"sync"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/runner/journal"
)

// An Explanation says what a failure tag or a cause means, and what to do about it.
type Explanation struct {
	Name   string // of the tag or the cause
	Words  string // the same for people, as short
	Means  string
	Remedy string
}

// NoRun is the header for explanations that concern no particular run.
var NoRun = &journal.Header{Setup: journal.Setup{Shots: -1}}

var general = sync.OnceValue(func() []Explanation { return Explanations(Failed{Header: NoRun}) })

// Explanations are those of all tags, then of all causes. Their remedies leave out what the run did already.
func Explanations(f Failed) []Explanation {
	h, again, most := f.Header, setting.Resume.String(), setting.MaxTokens.String()
	larger := "raise " + setting.Context.String()
	if h.Backend.FixedContext() {
		larger = "give the server's slots a larger one (llama-server -c)"
	}
	return []Explanation{
		{string(WrongAnswer), "wrong letter", "an answer, but not the gold letter",
			"if the completion says the right thing, another rule set reads it better (" + setting.Rules.String() + ")"},
		{string(NoAnswer), "no answer found", "the rule set finds no answer in the completion; it counts as wrong",
			f.unseen("`proctor show RUN ID` shows the completion")},
		{string(AdapterError), "model or its server failed", "the backend or its server failed; left out of the score",
			"the cause says how; " + again + " asks again"},
		{string(HarnessError), "proctor failed", "proctor could not ask the item fairly; left out of the score", "the cause says why"},

		{string(backends.CauseLength), "stopped by " + most, most + " ended the completion", longer(h, false)},
		{string(backends.CauseLoop), "in a loop", "the completion repeats itself word for word to its end",
			"a larger cap changes nothing; " + unless(h.Sampling.Temperature >= warm, setting.Temperature.As(fmt.Sprint(warm))+" or ") +
				"a larger quantisation may help"},
		{string(backends.CauseEmpty), "empty", "the completion has no text",
			"see" + f.unseen(" with `proctor show RUN ID`") + " what the prompt ends with"},
		{string(backends.CauseNoLetter), "no letter", "the completion ended by itself, without a letter that the rules take",
			f.unseen("`proctor show RUN ID` shows it")},
		{string(backends.CauseStop), "ended by a stop string", "a stop string ended the completion before the rules found a letter",
			f.unseen("`proctor show RUN ID` shows the text before it; ") + setting.Stop.String() + " sets others"},
		{string(backends.CauseEcho), "repeats its prompt", "the completion repeats its prompt; the letters in it are those of the shots",
			"switch off the server's echo of prompts"},
		{string(backends.CauseThinkUnclosed), "did not end thinking", "thinking began and did not end", f.unclosed()},
		{string(backends.CauseRefused), "refused to answer", "the model, or a filter of its server, refused to answer",
			f.unseen("`proctor show RUN ID` shows what it said; ") + "filters are a setting of the server"},
		{string(backends.CauseTool), "called a tool", "the model called a tool, or its server took the completion for a call",
			"switch off the server's tools (vLLM: without --enable-auto-tool-choice)" +
				unless(h.PromptMode == "raw", ", or use "+setting.Prompt.As("raw"))},
		{string(backends.CauseTruncated), "too long for the context", "prompt and " + most + " do not fit the context",
			"lower " + most + unless(h.Shots == 0, " or "+setting.Shots.String()) +
				unless(h.Model.ContextLength > 0 && h.Backend.Context >= h.Model.ContextLength, ", "+larger) +
				", or use a model with a longer context"},
		{string(backends.CauseOversize), "too large", "the item is too large to ask, or its answer too large to keep",
			f.unseen("`proctor show RUN ID` says how large; ") + "asking again changes nothing"},
		{string(backends.CauseTimeout), "out of time", "no completion within " + setting.Timeout.String(),
			"raise " + setting.Timeout.String() + unless(h.Backend.Slots == 1, " or lower "+setting.Concurrency.String()) + ", then " + again},
		{string(backends.CauseConnection), "server not reached", "the server could not be reached", "check that it runs, then " + again},
		{string(backends.CauseAuth), "key refused", "the server wants a key, or refused the one that it got",
			"set the variable OPENAI_API_KEY, then " + again},
		{string(backends.CauseQuota), "quota used up", "the server answers no more of this account's requests",
			"wait for the next period or raise the quota there, then " + again},
		{string(backends.CauseGone), "model not there", "the server has no such model, or no more",
			"`proctor models` lists what it has; load the model there, then " + again},
		{string(backends.CauseMemory), "out of memory", "memory ran out",
			"lower " + unless(h.Backend.Slots == 1, setting.Slots.String()+" or ") + setting.Context.String() + ", then " + again},
		{string(backends.CauseEngine), "engine failed", "the engine refused or failed to compute",
			f.unseen("`proctor show RUN ID` shows its message; then ") + again + " asks again"},
		{string(backends.CauseCrash), "engine died", "the item crashed or hung the engine twice",
			f.unseen("`proctor show RUN ID` says how; ") + "try another file of the model, or " + setting.Engine.String() + "; then " + again},
	}
}

// warm is a temperature at which loops are rarer.
const warm = 0.7

// unless is the text if the condition does not hold.
func unless(so bool, text string) string {
	if so {
		return ""
	}
	return text
}

// InWords is a tag or a cause for people, with its name: no answer found (NO_ANSWER).
func InWords(name string) string {
	if e := Explain(name); e.Words != "" {
		return e.Words + " (" + name + ")"
	}
	return name
}

// Explain is the explanation of a tag or a cause; zero for a name that has none.
func Explain(name string) Explanation { return find(general(), name) }

func find(all []Explanation, name string) Explanation {
	for _, e := range all {
		if e.Name == name {
			return e
		}
	}
	return Explanation{}
}
