package backends

import "time"

// A Completion is the result of one Request.
type Completion struct {
	ID     string
	Prompt string // of a Request with Messages: the text that the model read; empty where they were not written down
	Text   string // valid UTF-8, up to but without the stop string or the end-of-generation token
	Finish Finish
	Stop   string // the stop string that ended it; empty where none did, or that is unknown
	Cause  Cause  // why, where Finish alone does not say
	Error  string // one line for people; set exactly when Finish is FinishError
	Usage  Usage
	Timing Timing
	Server string // which of several servers answered; empty where there is one, or none
	// Fingerprint names the build and set-up that answered: a server's system_fingerprint; empty if it sends none.
	Fingerprint string
	// NotTaken are the parts of [Request.Sampling] that the server takes no field for, or refused, by their names in JSON:
	// its own hold.
	NotTaken []string
	Tries    int // how many requests the backend sent for it, the successful one included; 0 where it never repeats one

	Resumed int     // how many tokens of it [Request.Drawn] gave
	Tokens  []int32 // of a FinishOpen, which has no Text: all so far

	// Closed says that thinking was closed by force at the largest of [Budget.Tokens]; Forks has the completions at the smaller budgets, the
	// smallest first. Text, Usage and Timing do not include them.
	Closed bool
	Forks  []Fork

	// Predictions has one for each token, in order, where [Request.Logprobs] asks for them. The token that ended a drawn
	// completion has one too: an end of text, or the end of a stop string. Servers may omit that last one. Where a server omits
	// any other, Predictions is empty.
	Predictions []Prediction
}

// Finish says how a completion ended.
type Finish string

const (
	FinishStop   Finish = "stop"   // a stop string or an end-of-generation token
	FinishLength Finish = "length" // the token cap or the end of the context
	FinishError  Finish = "error"  // no usable completion
	FinishOpen   Finish = "open"   // it is still being drawn: see [Request.Every]
)

// Cause explains a completion that went wrong.
type Cause string

const (
	CauseLength        Cause = "LENGTH"         // the token cap was hit
	CauseLoop          Cause = "LOOP"           // it repeats itself, and was ended there
	CauseEmpty         Cause = "EMPTY"          // it has no text; of marks alone, as the next
	CauseNoLetter      Cause = "NO_LETTER"      // it has a text, and the rules find no letter in it
	CauseStop          Cause = "STOP"           // as the two before, and a stop string ended it
	CauseEcho          Cause = "ECHO"           // it repeats its prompt: the server echoes that
	CauseThinkUnclosed Cause = "THINK_UNCLOSED" // thinking began and never ended
	CauseRefused       Cause = "REFUSED"        // the model, or a filter behind it, refused to answer
	CauseTool          Cause = "TOOL_CALL"      // the model called a tool instead of answering
	CauseTruncated     Cause = "CTX_TRUNCATED"  // the prompt and the cap do not fit the context
	CauseOversize      Cause = "OVERSIZE"       // too large to be sent or kept, whatever the context
	CauseTimeout       Cause = "TIMEOUT"
	CauseConnection    Cause = "CONNECTION"
	CauseAuth          Cause = "AUTH"  // the server wants a key, or another one
	CauseQuota         Cause = "QUOTA" // the server's quota is used up
	CauseGone          Cause = "GONE"  // the server has no such model, or no more
	CauseMemory        Cause = "OOM"
	CauseEngine        Cause = "ENGINE" // the engine refused or failed to decode
	CauseCrash         Cause = "CRASH"  // the engine's process died
)

// Causes lists all causes.
var Causes = []Cause{
	CauseLength, CauseLoop, CauseEmpty, CauseNoLetter, CauseStop, CauseEcho, CauseThinkUnclosed, CauseRefused, CauseTool, CauseTruncated,
	CauseOversize, CauseTimeout, CauseConnection, CauseAuth, CauseQuota, CauseGone, CauseMemory, CauseEngine, CauseCrash,
}

// Usage counts tokens. PromptTokens includes BOS and ReusedTokens.
type Usage struct {
	PromptTokens   int `json:"prompt_tokens"`
	ReusedTokens   int `json:"reused_tokens"` // of the prompt, taken from a cache instead of being evaluated
	OutputTokens   int `json:"output_tokens"` // generated, the end-of-generation token left out
	ThinkingTokens int `json:"thinking_tokens"`
	DraftedTokens  int `json:"drafted_tokens,omitempty"`  // guessed ahead by the server's speculative decoding
	AcceptedTokens int `json:"accepted_tokens,omitempty"` // of them, taken into the output
}

// Timing is where a request's time went. Where requests share batches, a batch's time is shared out among its
// tokens, so that sums over all requests are times that really passed.
type Timing struct {
	Queue      time.Duration `json:"queue_ns"`       // from being pulled to the first evaluated token
	Prefill    time.Duration `json:"prefill_ns"`     // share of the time spent on prompt tokens
	Decode     time.Duration `json:"decode_ns"`      // share of the time spent on generated tokens
	FirstToken time.Duration `json:"first_token_ns"` // from being pulled to the first generated token
	Total      time.Duration `json:"total_ns"`       // from being pulled to being handed over; the runner sets it
}
