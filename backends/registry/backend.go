package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"proctor/backends"
	"proctor/backends/embedded"
	"proctor/backends/engines"
	"proctor/backends/isolated"
	"proctor/backends/llamacpp"
	"proctor/backends/ollama/store"
	"proctor/backends/setting"
)

// A Backend is one way to name a model, and who answers then.
type Backend struct {
	Scheme  string // how a reference is written, for people
	Means   string // what help says of it behind the scheme
	Answers string // who answers, for people
	Lacks   []Lack // in the order in which they are reported

	takes func(ref string) bool                                   // whether it is the one that is meant
	file  func(ref string) (path string, err error)               // finds the model's GGUF file
	open  func(context.Context, *Options) (backends.Model, error) // opens a model to run
	reads bool                                                    // conversations are read by the opened model, a Reader

	// list adds what it could open; nil: another one lists it.
	list func(ctx context.Context, folders []string, to *Catalogue) error
}

// All are the backends. The first that takes a reference is the one that is meant.
var All = []Backend{
	{
		Scheme: embedded.Ref, Means: "the control model", Answers: inProcess, Lacks: noServer,
		takes: func(ref string) bool { return ref == embedded.Ref },
		file:  func(string) (string, error) { return embedded.File() }, open: openFile,
	},
	{
		Scheme: ollamaPrefix + "NAME", Means: "a model that an Ollama server has, as in ollama:llama3.2:3b",
		Answers: "an Ollama server",
		Lacks: []Lack{
			{computing, setting.Errorf("the server computes, as its OLLAMA_NUM_PARALLEL, OLLAMA_KV_CACHE_TYPE and "+
				"CUDA_VISIBLE_DEVICES and the Modelfile say; %s says how many requests are in flight", setting.Concurrency)},
			{logprobs, errors.New("a server does not give its tokens: give the model's GGUF file")},
			{fields, errors.New("it is for openai:NAME, as Ollama's server answers at its /v1")},
		},
		takes: isOllama, file: storedFile, open: openServed, reads: true, list: listOllama,
	},
	{
		Scheme: openaiPrefix + "NAME", Answers: "a server of OpenAI's protocol",
		Means: "a model that a server of OpenAI's protocol has (llama-server, vLLM, LM Studio)",
		Lacks: []Lack{
			{computing, setting.Errorf("the server computes, as it was started; %s says how many requests are in flight",
				setting.Concurrency)},
			{placement, errors.New("the server decides")},
			{logprobs, errors.New("a server does not give its tokens: give the model's GGUF file")},
		},
		takes: isOpenAI, open: openProtocol, reads: true, list: listProtocol,
		file: func(ref string) (string, error) {
			return "", fmt.Errorf("%s: its server does not give the model's file: give the path of the GGUF file", ref)
		},
	},
	{
		Scheme: gollamaPrefix + "PATH.gguf", Means: "one through go-llama.cpp (a build of its own: make gollama)",
		Answers: "go-llama.cpp",
		Lacks: append([]Lack{
			{computing, errors.New("it decodes one sequence at a time, as it was built, with a cache of f16: give the file " +
				"without \"gollama:\" before it")},
			{logprobs, errors.New("it gives no log-probabilities: give the file without \"gollama:\" before it")},
			{sampling, errors.New("llama.cpp of September 2023 has none")},
		}, noServer...),
		takes: func(ref string) bool { return strings.HasPrefix(ref, gollamaPrefix) }, file: gollamaFile, open: openGollama,
	},
	{
		Scheme: "PATH.gguf", Means: "a GGUF file", Answers: inProcess, Lacks: noServer,
		takes: func(ref string) bool { return strings.TrimSpace(ref) != "" }, file: pathItself, open: openFile,
		list: listFiles,
	},
}

// A Lack is settings that do not apply to a backend's models, and why. Those that no backend lacks apply to all.
type Lack struct {
	Settings []setting.Setting
	Why      error
}

var (
	computing = []setting.Setting{ // with llama.cpp
		setting.Slots, setting.Kernels, setting.Engine, setting.Lora, setting.KVType, setting.Device,
	}
	placement = []setting.Setting{setting.Threads, setting.GPULayers}
	logprobs  = []setting.Setting{setting.KeepLogprobs}
	sampling  = []setting.Setting{setting.Sampling.With("min_p")} // what llama.cpp learned late
	fields    = []setting.Setting{setting.ExtraBody}              // of requests

	noServer = []Lack{
		{
			[]setting.Setting{setting.Concurrency, setting.Timeout, setting.Servers},
			setting.Errorf("the model does not run at a server; %s says how many sequences are decoded at a time",
				setting.Slots),
		},
		{fields, errors.New("the model does not run at a server")},
	}
)

// What references begin with that are not paths.
const (
	ollamaPrefix  = "ollama:"
	openaiPrefix  = "openai:"
	gollamaPrefix = "gollama:"
)

func isOllama(ref string) bool { return strings.HasPrefix(ref, ollamaPrefix) }
func isOpenAI(ref string) bool { return strings.HasPrefix(ref, openaiPrefix) }

// References says for help how models are named, and what the names mean.
func References() string {
	return alternatives(func(b Backend) string { return b.Scheme + " for " + b.Means })
}

// Forms says in an error how models are named.
func Forms() string { return alternatives(func(b Backend) string { return b.Scheme }) }

func alternatives(say func(Backend) string) string {
	var all []string
	for _, b := range All {
		all = append(all, say(b))
	}
	return english.OxfordWordSeries(all, "or")
}

// Default is the reference of the model that every copy of this program carries.
const Default = embedded.Ref

const inProcess = "the in-process engine"

// OpenModel opens a model to run.
func OpenModel(ctx context.Context, options Options) (backends.Model, error) {
	b, err := options.meant()
	if err != nil {
		return nil, err
	}
	model, err := b.open(ctx, &options)
	if err != nil {
		return nil, err // and no interface that holds a nil pointer
	}
	return model, nil
}

// A Reader is the part of a model that reads a prompt. It is a [backends.Templated], or a [backends.Converser], too.
type Reader interface {
	backends.Tokenizer
	Close() error
}

// OpenReader opens what turns a model's prompts into tokens: its vocabulary, or its server where that is to write
// conversations down, or alone has the model.
func OpenReader(ctx context.Context, options Options, conversing bool) (Reader, error) {
	b, err := options.meant()
	if err != nil {
		return nil, err
	}
	path, err := b.file(options.Ref)
	if b.reads && (conversing || errors.Is(err, store.ErrNotFound) || isOpenAI(options.Ref)) {
		model, err := b.open(ctx, &options)
		if err != nil {
			return nil, err
		}
		return model.(Reader), nil
	}
	if err != nil {
		return nil, err
	}
	return options.openVocabulary(ctx, path)
}

// openVocabulary opens the vocabulary of a file with the engine that opens the file, in a process of its own.
func (o *Options) openVocabulary(ctx context.Context, path string) (Reader, error) {
	chosen, _, err := o.engineFor(ctx, path)
	if err != nil {
		return nil, err
	}
	return isolated.OpenVocabulary(ctx, llamacpp.Options{Path: path, Engine: chosen.Folder})
}

// Options are the user's choices for a model. Zero values choose what fits; a field that the chosen backend does not
// use is an error only where its flag is among Given.
type Options struct {
	Ref   string   // the model, see [References]
	Given []string // names of the flags that the user gave, such as kv-type

	// Options of the in-process engine: other backends take of them what they can. Those below, this package makes of what
	// a user says; where Like is set, as many items are in flight as were then, unless Given says otherwise.
	llamacpp.Options
	Engines   engines.Store // where the llama.cpp is found that Engine names
	Engine    string        // a folder or a name; "": as EngineVariable says, else EngineAuto
	GPULayers *int          // layers on GPUs, or AllLayers, AutoLayers; nil: as the backend decides

	// For backends with servers.
	Servers     []string      // that have the model; none: the one that the environment names
	Body        *Body         // that servers of OpenAI's protocol get with every request; nil: nothing more
	Concurrency int           // requests in flight at each; 0: as many as it answers fastest
	Timeout     time.Duration // an item's time, all its tries counted; 0: as the backend decides

	// What a person sees. Functions may be nil, and are called from any goroutine.
	Quiet bool
	Warn  func(text string) // of what may matter for the result
	Note  func(text string) // of anything else
	Draw  func(line string) // shows a line in the last one's place, "" none; nil: there is no terminal
}

// say tells a person a text, where somebody listens.
func say(to func(text string), text string) {
	if to != nil {
		to(text)
	}
}

func (o *Options) given(s setting.Setting) bool {
	return slices.Contains(o.Given, strings.TrimLeft(s.String(), "-"))
}

// meant returns the backend of the options' reference. It is an error where a given setting does not apply to that.
func (o *Options) meant() (*Backend, error) {
	i := slices.IndexFunc(All, func(b Backend) bool { return b.takes(o.Ref) })
	if i < 0 {
		return nil, fmt.Errorf("%s is empty: give %s", setting.Model, Forms())
	}
	b := &All[i]
	for _, lack := range b.Lacks {
		if useless := slices.IndexFunc(lack.Settings, o.given); useless >= 0 {
			return nil, fmt.Errorf("%s does not apply to %s: %w", lack.Settings[useless], b.Answers, lack.Why)
		}
	}
	return b, nil
}

// Check refuses a given flag that does not apply to who answers.
func (o Options) Check() error {
	_, err := o.meant()
	return err
}

// Takes says whether who answers has a use for a flag.
func (o Options) Takes(flag string) bool {
	o.Given = []string{flag}
	return o.Check() == nil
}
