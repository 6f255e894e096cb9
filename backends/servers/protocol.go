package servers

import (
	"context"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"proctor/backends"
)

// A Protocol is how one server is asked, in its own words. An error is a [*Refusal], an [*Error] or that of a
// connection.
type Protocol interface {
	// Name is the server's for people and journals.
	Name() string

	// Facts asks what the server and the model are. A model that the server lacks is a [Final] error. at is another
	// server's model, nil for the first: where people named none, it is that one.
	Facts(ctx context.Context, at *Facts) (Facts, error)

	// Load has the server load the model, so that a request holds the run's context where that is for the request to say.
	// Nothing is generated.
	Load(ctx context.Context, run *Run) error

	// Generate asks for a completion, or for the log-probabilities of a forced one, and adds what comes to the answer.
	Generate(ctx context.Context, r *Request, a *Answer) error

	// Chat renders a request's conversation as the server would for an answer; [ErrUnable] where it does not show that.
	Chat(ctx context.Context, r *Request) (string, error)

	// Count splits a text into tokens as it would a prompt; [ErrUnable] where it does not do that.
	Count(ctx context.Context, text string) ([]int32, error)

	// Unload has the server forget the prompts that it has read; [ErrUnable] where nothing does.
	Unload(ctx context.Context) error
}

// Facts are what a server reports. What it does not report is zero.
type Facts struct {
	Model   backends.ModelInfo
	Engine  string // and its version, for people
	Slots   int    // requests that it answers at a time
	Context int    // tokens that a request holds, prompt and answer
	Chooses bool   // the run says how many a request holds, up to what the model was trained for
	Counts  bool   // it splits texts into tokens
	Writes  bool   // it shows how it renders conversations
	Slotted bool   // each of its slots keeps the prompts that it read

	Same        []Fact                   // that all servers of a model have in common
	Recommended *backends.Recommendation // how it draws tokens where a request does not say
	Notes       []string                 // what a reader of the numbers should know of it, a sentence each
	Bytes       int64                    // that the loaded model takes there, its cache counted
}

// A Fact is one that tells models apart.
type Fact struct{ Name, Value string }

// differs says in which fact a server's model is another one than the first's; empty where none that both report is.
func (f *Facts) differs(first *Facts) (name, ours, theirs string) {
	for _, fact := range f.Same {
		for _, other := range first.Same {
			if fact.Name == other.Name && fact.Value != "" && other.Value != "" && fact.Value != other.Value {
				return fact.Name, fact.Value, other.Value
			}
		}
	}
	return "", "", ""
}

// A Run is what all requests of a run have in common.
type Run struct {
	backends.Workload
	Context   int            // tokens that a prompt and its answer may have together; 0: nobody knows
	Conversed bool           // they are conversations
	Effort    string         // the reasoning effort; empty for none
	Variables map[string]any // of chat templates, that people gave
}

// Request is an item on its way.
type Request struct {
	backends.Request
	*Run
	IDs    []int32   // tokens of the prompt; nil where nobody counts them
	Pulled time.Time // when it was taken

	share atomic.Pointer[share] // of its last answer; nil until a piece came
}

// Options say which model to use, and how patiently its servers are asked. Zero values choose what fits.
type Options struct {
	// Without Context a prompt and its answer have as many tokens as the servers say, or the work needs; without
	// Concurrency each server gets as many requests as it says, or answers fastest; without Timeout it is 15 minutes.
	backends.Settings

	By      string // the backend, of [backends.EngineInfo]
	Name    string // of the model, for people
	KeyHint string // what to do where a server refuses the key
	Nobody  string // what to do where no server answers
	Remedy  string // where the context is too small

	// Notes are what a reader of the numbers should know of a run, a sentence each.
	Notes func(*Run) []string
	// Idle lets go of connections that nobody uses.
	Idle func()
	// Hide takes secrets out of a text; nil: there are none.
	Hide func(text string) string
	// Tokenize splits a text by the model's own file; nil: the servers do.
	Tokenize func(text string) ([]int32, error)

	ClientOptions
}

// Away says of a server's name, a host with or without port and path, that it is on another network: such a server may
// charge for what it generates, so nothing is generated there before the first question. A name without a dot is one of
// this network.
func Away(name string) bool {
	address, _, _ := strings.Cut(name, "/")
	host := (&url.URL{Host: address}).Hostname()
	if !strings.ContainsAny(strings.TrimSuffix(host, "."), ".:") {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookupTime)
	defer cancel()
	addresses, err := net.DefaultResolver.LookupIP(ctx, "ip", host)
	return err != nil || slices.ContainsFunc(addresses, func(ip net.IP) bool {
		return !ip.IsLoopback() && !ip.IsPrivate() && !ip.IsLinkLocalUnicast()
	})
}

// lookupTime is how long the address of a server's name is looked up.
const lookupTime = 2 * time.Second
