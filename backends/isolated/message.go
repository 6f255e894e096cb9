package isolated

import (
	"time"

	"proctor/backends"
	"proctor/backends/llamacpp"
)

// What an order or a report is.
const (
	// Calls, most of them after the methods of [llamacpp.Model].
	callOpen, callPlan, callForecast, callInfo, callGenerate = "Open", "Plan", "Forecast", "Info", "Generate"
	callTokenize, callPieces, callTokenOf, callOthers        = "Tokenize", "Pieces", "TokenOf", "Others"
	callCheckTest, callRunTest                               = "CheckTest", "RunTest"
	callCancel                                               = "Cancel" // those on their way are to end, if they take that; has no answer

	answered = "Answered" // the end of a call

	// What an engine wishes for while it generates or runs a test: an order of the same name.
	wishNext      = "Next"      // the next request
	wishCompleted = "Completed" // that a completion is taken
	wishPartings  = "Partings"  // [backends.Request.Partings]
	wishStep      = "Step"      // that a test's step is called

	// News.
	newsWarning  = "Warning"  // for people
	newsProgress = "Progress" // the share of the model that was read
	newsBeat     = "Beat"     // the work that was done; alone no sign of life: a process that hangs sends it, too
	newsGaveUp   = "GaveUp"   // why the engine did; its process ends next
)

// An order is what a parent sends: a call, or what an engine wished for.
type order struct {
	What string

	Options    *llamacpp.Options // to open with
	Vocabulary bool              // and nothing but the vocabulary
	Workload   *backends.Workload
	Text       string // to tokenise, or of a token
	Settings   backends.EngineSettings
	Test       backends.EngineTest

	Request     *backends.Request // without its functions; nil: there is none
	HasPartings bool              // it has that function
	Partings    []int
	Error       string // why a completion was not taken
}

// A report is what an engine's process sends.
type report struct {
	What string

	Answer *answer // of a call
	Error  string

	Completion *backends.Completion
	ID         string // of a request
	Warm       bool   // it was the warm-up

	Text    string // of a warning, or why the engine gave up
	Share   float64
	Batches int64 // that were computed so far
	Done    int64 // they, their operations, and the bytes that were hashed
}

// An answer has what a call returned.
type answer struct {
	Opened     opened
	Allocation backends.Allocation
	Forecast   backends.Forecast
	Info       backends.Info
	Tokens     []int32
	Pieces     []string
	Token      int32
	Found      bool // there is such a token
	Load       backends.Load
	Samples    []time.Duration
}

// opened describes a model after the process has opened it.
type opened struct {
	Template    backends.ChatTemplate
	Vocabulary  string // its SHA-256
	Summary     backends.Summary
	Recommended *backends.Recommendation
}
