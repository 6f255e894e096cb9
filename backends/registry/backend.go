package registry

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize/english"

	"proctor/backends"
	"proctor/backends/embedded"
	"proctor/backends/isolated"
	"proctor/backends/llamacpp"
	"proctor/backends/ollama/store"
	"proctor/backends/setting"
)

// A Backend is one way to name a model, and who answers then.
type Backend struct {
	Scheme  string               // how a reference is written, for people
	Means   string               // what help says of it behind the scheme; empty for a row that another one's words stand for
	Answers string               // who answers, for people
	Lacks   map[Capability]error // what it can't do, and why

	takes func(ref string) bool                                            // whether it is the one that is meant
	file  func(ref string) (path string, err error)                        // finds the model's GGUF file
	open  func(context.Context, *Options) (backends.Model, error)          // opens a model to run
	reads bool                                                             // conversations are read by the opened model, a Reader
	list  func(ctx context.Context, folders []string, to *Catalogue) error // adds what it could open; nil: another one lists it
}

// All are the backends. The first that takes a reference is the one that is meant.
var All = []Backend{
	{
		Scheme: embedded.Ref, Means: "the control model", Answers: inProcess, Lacks: noServer,
		takes: func(ref string) bool { return ref == embedded.Ref },
		file:  func(string) (string, error) { return embedded.File() }, open: openFile,
	},
	{
		Scheme: ollamaPrefix + "NAME", Means: "a model that an Ollama server has, as in ollama:llama3.2:3b", Answers: "an Ollama server",
		Lacks: map[Capability]error{
			Computing: setting.Errorf("the server computes, as its OLLAMA_NUM_PARALLEL, OLLAMA_KV_CACHE_TYPE and CUDA_VISIBLE_DEVICES and the "+
				"Modelfile say; %s says how many requests are in flight", setting.Concurrency),
			Logprobs: errors.New("a server does not give its tokens: give the model's GGUF file"),
			Fields:   errors.New("it is for openai:NAME, as Ollama's server answers at its /v1"),
		},
		takes: isOllama, file: storedFile, open: openServed, reads: true, list: listOllama,
	},
	{
		Scheme: openaiPrefix + "NAME", Means: "a model that a server of OpenAI's protocol has (llama-server, vLLM, LM Studio)",
		Answers: "a server of OpenAI's protocol",
		Lacks: map[Capability]error{
			Computing: setting.Errorf("the server computes, as it was started; %s says how many requests are in flight", setting.Concurrency),
			Placement: errors.New("the server decides"),
			Logprobs:  errors.New("a server does not give its tokens: give the model's GGUF file"),
		},
		takes: isOpenAI, open: openProtocol, reads: true, list: listProtocol,
		file: func(ref string) (string, error) {
			return "", fmt.Errorf("%s: its server does not give the model's file: give the path of the GGUF file", ref)
		},
	},
	{
		Scheme: gollamaPrefix + "PATH.gguf", Means: "one through go-llama.cpp (a build of its own: make gollama)", Answers: "go-llama.cpp",
		Lacks: map[Capability]error{
			Computing: errors.New("it decodes one sequence at a time, as it was built, with a cache of f16: give the file without \"gollama:\" before it"),
			Logprobs:  errors.New("it gives no log-probabilities: give the file without \"gollama:\" before it"),
			Sampling:  errors.New("llama.cpp of September 2023 has none"),
			Server:    noServer[Server],
			Fields:    noServer[Fields],
		},
		takes: func(ref string) bool { return strings.HasPrefix(ref, gollamaPrefix) }, file: gollamaFile, open: openGollama,
	},
	{
		Scheme: "PATH.gguf", Means: "a GGUF file", Answers: inProcess, Lacks: noServer,
		takes: func(ref string) bool { return strings.TrimSpace(ref) != "" }, file: pathItself, open: openFile,
		list: listFiles,
	},
}

// References says for help how models are named, and what the names mean.
func References() string {
	return alternatives(func(b Backend) string { return b.Scheme + " for " + b.Means })
}

// Forms says in an error how models are named.
func Forms() string { return alternatives(func(b Backend) string { return b.Scheme }) }

func alternatives(say func(Backend) string) string {
	var all []string
	for _, b := range All {
		if b.Means != "" {
			all = append(all, say(b))
		}
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
	folder, _, err := o.engineFor(ctx, path)
	if err != nil {
		return nil, err
	}
	return isolated.OpenVocabulary(ctx, llamacpp.Options{Path: path, Engine: folder})
}
