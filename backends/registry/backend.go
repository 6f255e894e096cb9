package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"proctor/backends"
	"proctor/backends/embedded"
	"proctor/backends/engines"
	"proctor/backends/isolated"
	"proctor/backends/llamacpp"
	"proctor/backends/machine"
	"proctor/backends/ollama"
	"proctor/backends/ollama/store"
	"proctor/backends/openai"
	"proctor/backends/setting"
)

// A Backend is one way to name a model, and who answers then.
type Backend struct {
	Scheme  string // how a reference is written, for people
	Means   string // what help says of it behind the scheme
	Answers string // who answers, for people

	name  string                                                  // in the tags of [backends.Settings]
	why   map[string]error                                        // why settings do not apply, by their flags; "": others
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
		Scheme: embedded.Ref, Means: "the control model", Answers: inProcess, name: "llamacpp", why: noServer,
		takes: func(ref string) bool { return ref == embedded.Ref },
		file:  func(string) (string, error) { return embedded.File() }, open: openFile,
	},
	{
		Scheme: ollama.Prefix + "NAME", Means: "a model that an Ollama server has, as in ollama:llama3.2:3b",
		Answers: "an Ollama server", name: "ollama",
		why: map[string]error{
			"": setting.Errorf("the server computes, as its OLLAMA_NUM_PARALLEL, OLLAMA_KV_CACHE_TYPE and "+
				"CUDA_VISIBLE_DEVICES and the Modelfile say; %s says how many requests are in flight", setting.Concurrency),
			"keep-logprobs": errNoTokens,
			"extra-body":    errors.New("it is for openai:NAME, as Ollama's server answers at its /v1"),
		},
		takes: isOllama, file: storedFile, open: openServed, reads: true, list: listOllama,
	},
	{
		Scheme: openai.Prefix + "NAME", Answers: "a server of OpenAI's protocol", name: "openai",
		Means: "a model that a server of OpenAI's protocol has (llama-server, vLLM, LM Studio)",
		why: map[string]error{
			"": setting.Errorf("the server computes, as it was started; %s says how many requests are in flight",
				setting.Concurrency),
			"threads": errServerDecides, "gpu-layers": errServerDecides, "keep-logprobs": errNoTokens,
		},
		takes: isOpenAI, open: openProtocol, reads: true, list: listProtocol,
		file: func(ref string) (string, error) {
			return "", fmt.Errorf("%s: its server does not give the model's file: give the path of the GGUF file", ref)
		},
	},
	{
		Scheme: gollamaPrefix + "PATH.gguf", Means: "one through go-llama.cpp (a build of its own: make gollama)",
		Answers: "go-llama.cpp", name: "gollama",
		why: map[string]error{
			"": errors.New("it decodes one sequence at a time, as it was built, with a cache of f16: give the file without " +
				"\"gollama:\" before it"),
			"keep-logprobs":  errors.New("it gives no log-probabilities: give the file without \"gollama:\" before it"),
			"sampling min_p": errors.New("llama.cpp of September 2023 has none"),
			"concurrency":    noServer[""], "timeout": noServer[""], "servers": noServer[""],
			"extra-body": noServer["extra-body"],
		},
		takes: func(ref string) bool { return strings.HasPrefix(ref, gollamaPrefix) }, file: gollamaFile, open: openGollama,
	},
	{
		Scheme: "PATH.gguf", Means: "a GGUF file", Answers: inProcess, name: "llamacpp", why: noServer,
		takes: func(ref string) bool { return strings.TrimSpace(ref) != "" }, file: pathItself, open: openFile,
		list: listFiles,
	},
}

// Why settings do not apply to several backends.
var (
	errServerDecides = errors.New("the server decides")
	errNoTokens      = errors.New("a server does not give its tokens: give the model's GGUF file")
	noServer         = map[string]error{
		"": setting.Errorf("the model does not run at a server; %s says how many sequences are decoded at a time",
			setting.Slots),
		"extra-body": errors.New("the model does not run at a server"),
	}
)

// gollamaPrefix begins references to files that go-llama.cpp opens.
const gollamaPrefix = "gollama:"

func isOllama(ref string) bool { return strings.HasPrefix(ref, ollama.Prefix) }
func isOpenAI(ref string) bool { return strings.HasPrefix(ref, openai.Prefix) }

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
	path, err := b.file(options.Model)
	if b.reads && (conversing || errors.Is(err, store.ErrNotFound) || isOpenAI(options.Model)) {
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
	return isolated.OpenVocabulary(ctx, llamacpp.Options{Path: path, Settings: backends.Settings{Engine: chosen.Folder}})
}

// Options are the user's choices for a model. A setting that the chosen backend does not know is an error only where
// its flag is among Given.
type Options struct {
	// Engine is a folder or a name; "": as EngineVariable says, else EngineAuto. Without Servers it is the environment's.
	backends.Settings
	Given   []string      // names of the flags that the user gave, such as kv-type
	Engines engines.Store // where the llama.cpp is found that Engine names

	// Like is the engine of the run to resume: as many items are in flight as were then, unless Given says otherwise.
	Like *backends.EngineInfo

	// What a person sees. Functions may be nil, and are called from any goroutine.
	Quiet bool
	Warn  func(text string) // of what may matter for the result
	Note  func(text string) // of anything else
	Draw  func(line string) // shows a line in the last one's place, "" none; nil: there is no terminal
}

// Set sets the settings, of which the user gave some by their flags. It refuses what no backend could do here.
func (o *Options) Set(s backends.Settings, given []string) error {
	o.Settings, o.Given = s, given
	if cpus := machine.CPUs(); s.Threads > cpus {
		return fmt.Errorf("%s %d: this process may use %s: give at most that many, or leave the flag out for %d",
			setting.Threads, s.Threads, english.Plural(cpus, "CPU", ""), machine.Cores())
	}
	_, err := openai.ParseBody(s.Body)
	return err
}

// say tells a person a text, where somebody listens.
func say(to func(text string), text string) {
	if to != nil {
		to(text)
	}
}

// backendOf returns the backend of a reference.
func backendOf(ref string) (*Backend, error) {
	i := slices.IndexFunc(All, func(b Backend) bool { return b.takes(ref) })
	if i < 0 {
		return nil, fmt.Errorf("%s is empty: give %s", setting.Model, Forms())
	}
	return &All[i], nil
}

// meant returns the backend of the options' model. It is an error where a given setting does not apply to that.
func (o *Options) meant() (*Backend, error) {
	b, err := backendOf(o.Model)
	if err != nil {
		return nil, err
	}
	for _, flag := range o.Given {
		if backends.Knows(b.name, flag) {
			continue
		}
		why, special := b.why[flag]
		if !special {
			why = b.why[""]
		}
		useless := setting.Setting(strings.ReplaceAll(flag, "-", " "))
		return nil, fmt.Errorf("%s does not apply to %s: %w", useless, b.Answers, why)
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
	b, err := backendOf(o.Model)
	return err == nil && backends.Knows(b.name, flag)
}
