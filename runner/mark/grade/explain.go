package grade

import (
	"sync"

	"proctor/backends"
	"proctor/backends/setting"
)

// An Explanation says what a failure tag or a cause means, and what to do about it.
type Explanation struct {
	Name   string // of the tag or the cause
	Words  string // the same for people, as short
	Means  string
	Remedy string
}

// Explanations are those of every tag, then of every cause.
var Explanations = sync.OnceValue(func() []Explanation {
	again, most := setting.Resume.String(), setting.MaxTokens.String()
	return []Explanation{
		{string(WrongAnswer), "wrong letter", "an answer, but not the gold letter",
			"if the completion says the right thing, another rule set reads it better (" + setting.Rules.String() + ")"},
		{string(NoAnswer), "no answer found", "the rule set finds no answer in the completion; it counts as wrong",
			"`proctor show RUN ID` has what the completion says"},
		{string(AdapterError), "model or its server failed", "the backend or its server failed; left out of the score",
			"the cause says how; " + again + " asks again"},
		{string(HarnessError), "proctor failed", "proctor could not ask the item fairly; left out of the score", "the cause says why"},

		{string(backends.CauseLength), "stopped by " + most, most + " ended the completion", "raise " + most},
		{string(backends.CauseLoop), "in a loop", "the completion repeats itself word for word to its end",
			"a larger cap changes nothing; " + setting.Temperature.As("0.7") + ", or a larger quantisation, may"},
		{string(backends.CauseEmpty), "empty", "the completion has no text", "`proctor show RUN ID` has the prompt: what does it end with?"},
		{string(backends.CauseNoLetter), "no letter", "the completion ended by itself, without a letter that the rules take",
			"`proctor show RUN ID` has what it says"},
		{string(backends.CauseStop), "ended by a stop string", "a stop string ended the completion before the rules found a letter",
			"`proctor show RUN ID` has what stands before it; " + setting.Stop.String() + " sets others"},
		{string(backends.CauseEcho), "repeats its prompt", "the completion repeats its prompt; the letters in it are those of the shots",
			"switch off the server's echo of prompts"},
		{string(backends.CauseThinkUnclosed), "did not end thinking", "thinking began and did not end",
			"raise " + most + ", or " + setting.Think.As("off")},
		{string(backends.CauseRefused), "refused to answer", "the model, or a filter of its server, refused to answer",
			"`proctor show RUN ID` shows what it said; filters are a setting of the server"},
		{string(backends.CauseTool), "called a tool", "the model called a tool, or its server took the completion for a call",
			"switch off the server's tools (vLLM: without --enable-auto-tool-choice), or use " + setting.Prompt.As("raw")},
		{string(backends.CauseTruncated), "too long for the context", "prompt and " + most + " do not fit the context",
			"lower " + most + " or " + setting.Shots.String() + ", raise " + setting.Context.String() +
				", or use a model with a longer context"},
		{string(backends.CauseOversize), "too large", "the item is too large to ask, or its answer too large to keep",
			"`proctor show RUN ID` says how large; asking again changes nothing"},
		{string(backends.CauseTimeout), "out of time", "no completion within " + setting.Timeout.String(),
			"raise " + setting.Timeout.String() + " or lower " + setting.Concurrency.String() + ", then " + again},
		{string(backends.CauseConnection), "server not reached", "the server could not be reached", "check that it runs, then " + again},
		{string(backends.CauseAuth), "key refused", "the server wants a key, or refused the one that it got",
			"set the variable OPENAI_API_KEY, then " + again},
		{string(backends.CauseQuota), "quota used up", "the server answers no more of this account's requests",
			"wait for the next period or raise the quota there, then " + again},
		{string(backends.CauseGone), "model not there", "the server has no such model, or no more",
			"`proctor models` lists what it has; load the model there, then " + again},
		{string(backends.CauseMemory), "out of memory", "memory ran out",
			"lower " + setting.Slots.String() + " or " + setting.Context.String() + ", then " + again},
		{string(backends.CauseEngine), "engine failed", "the engine refused or failed to compute",
			"`proctor show RUN ID` shows its message; then " + again},
		{string(backends.CauseCrash), "engine died", "the item crashed or hung the engine twice",
			"`proctor show RUN ID` says how; try another file of the model, or " + setting.Engine.String() + "; then " + again},
	}
})

// InWords is a tag or a cause for people, with its name: no answer found (NO_ANSWER).
func InWords(name string) string {
	if e := Explain(name); e.Words != "" {
		return e.Words + " (" + name + ")"
	}
	return name
}

// Explain is the explanation of a tag or a cause; zero for a name that has none.
func Explain(name string) Explanation {
	for _, e := range Explanations() {
		if e.Name == name {
			return e
		}
	}
	return Explanation{}
}
