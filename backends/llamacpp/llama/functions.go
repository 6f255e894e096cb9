package llama

import (
	"fmt"
	"reflect"
	"strings"
	"unicode"
	"unsafe"

	"github.com/ebitengine/purego"
)

// functions are the C functions of llama.cpp and ggml that are called. A field holds the C function of its name: LlamaDecode is llama_decode, whose
// contract llama.h has. Handles are unsafe.Pointers; what is passed by value has the fields of the C structure. What is marked
// optional is nil where a library lacks it.
type functions struct {
	LlamaBackendInit       func()
	LlamaLogSet            func(say uintptr, data unsafe.Pointer)
	LlamaPrintSystemInfo   func() string
	GgmlSetAbortCallback   func(gaveUp uintptr) unsafe.Pointer
	GgmlBackendLoad        func(path string) unsafe.Pointer
	GgmlBackendRegCount    func() uint
	GgmlBackendRegGet      func(i uint) unsafe.Pointer
	GgmlBackendRegName     func(registry unsafe.Pointer) string
	GgmlBackendDevByName   func(name string) unsafe.Pointer
	GgmlBackendDevCount    func() uint
	GgmlBackendDevGet      func(i uint) unsafe.Pointer
	GgmlBackendDevMemory   func(device unsafe.Pointer, free, total *uint64)
	GgmlBackendDevName     func(device unsafe.Pointer) string
	GgmlBackendDevType     func(device unsafe.Pointer) int32
	GgmlBackendDevGetProps func(device unsafe.Pointer, into *deviceProps) `optional:"true"`
	ProctorDevice          func(device unsafe.Pointer, is *deviceDetails) `optional:"true"`

	GgmlBackendDevDescription   func(device unsafe.Pointer) string
	GgmlBackendRegDevCount      func(registry unsafe.Pointer) uint
	GgmlThreadpoolParamsDefault func(threads int32) threadpoolParams
	GgmlThreadpoolNew           func(params *threadpoolParams) unsafe.Pointer `optional:"true"`
	GgmlThreadpoolFree          func(pool unsafe.Pointer)                     `optional:"true"`

	LlamaModelDefaultParams func() params
	LlamaModelLoadFromFile  func(path string, p params) unsafe.Pointer
	LlamaModelFree          func(model unsafe.Pointer)
	LlamaModelDesc          func(model unsafe.Pointer, into *byte, room uint) int32
	LlamaModelGetVocab      func(model unsafe.Pointer) unsafe.Pointer
	LlamaModelHasEncoder    func(model unsafe.Pointer) bool
	LlamaModelNLayer        func(model unsafe.Pointer) int32
	LlamaModelNSwa          func(model unsafe.Pointer) int32
	ProctorModelLayer       func(model unsafe.Pointer, layer int32, is *modelLayer) `optional:"true"`
	LlamaModelIsDiffusion   func(model unsafe.Pointer) bool
	LlamaModelIsHybrid      func(model unsafe.Pointer) bool
	LlamaModelIsRecurrent   func(model unsafe.Pointer) bool

	LlamaVocabNTokens   func(vocab unsafe.Pointer) int32
	LlamaVocabType      func(vocab unsafe.Pointer) int32
	LlamaVocabBos       func(vocab unsafe.Pointer) int32
	LlamaVocabEos       func(vocab unsafe.Pointer) int32
	LlamaVocabGetAddBos func(vocab unsafe.Pointer) bool
	LlamaVocabGetAddEos func(vocab unsafe.Pointer) bool
	LlamaVocabGetAttr   func(vocab unsafe.Pointer, token int32) int32
	LlamaVocabGetText   func(vocab unsafe.Pointer, token int32) string
	LlamaVocabIsEog     func(vocab unsafe.Pointer, token int32) bool
	LlamaTokenize       func(vocab unsafe.Pointer, text *byte, length int32, tokens *int32, room int32, special, parse bool) int32
	LlamaTokenToPiece   func(vocab unsafe.Pointer, token int32, into *byte, room, strip int32, special bool) int32

	LlamaChatBuiltinTemplates func(names *unsafe.Pointer, room uint) int32
	LlamaChatApplyTemplate    func(template string, turns *message, n uint, assistant bool, into *byte, room int32) int32

	// A release has one of the two that set adapters: the older sets one at a time.
	LlamaAdapterLoraInit func(model unsafe.Pointer, path string) unsafe.Pointer                                `optional:"true"`
	LlamaSetAdapterLora  func(context, adapter unsafe.Pointer, scale float32) int32                            `optional:"true"`
	LlamaSetAdaptersLora func(context unsafe.Pointer, adapters *unsafe.Pointer, n uint, scales *float32) int32 `optional:"true"`

	// Of loaded libraries alone.
	LlamaModelQuantizeDefaultParams func() params                           `optional:"true"`
	LlamaModelQuantize              func(from, to string, p *params) uint32 `optional:"true"`

	LlamaContextDefaultParams func() params
	LlamaInitFromModel        func(model unsafe.Pointer, p params) unsafe.Pointer
	LlamaFree                 func(context unsafe.Pointer)
	LlamaAttachThreadpool     func(context, pool, batchPool unsafe.Pointer)
	LlamaDetachThreadpool     func(context unsafe.Pointer)
	LlamaSetNThreads          func(context unsafe.Pointer, threads, batchThreads int32)
	LlamaBatchInit            func(tokens, embedding, sequences int32) batch
	LlamaBatchFree            func(b batch)
	LlamaDecode               func(context unsafe.Pointer, b batch) int32
	LlamaSynchronize          func(context unsafe.Pointer)
	LlamaGetLogitsIth         func(context unsafe.Pointer, i int32) *float32
	LlamaGetMemory            func(context unsafe.Pointer) unsafe.Pointer
	LlamaMemoryClear          func(memory unsafe.Pointer, data bool)
	LlamaMemorySeqCp          func(memory unsafe.Pointer, from, to, begin, end int32)
	LlamaMemorySeqRm          func(memory unsafe.Pointer, sequence, begin, end int32) bool
	LlamaMemorySeqPosMin      func(memory unsafe.Pointer, sequence int32) int32
	ProctorCopyNow            func(context unsafe.Pointer) `optional:"true"`

	LlamaStateSeqGetSizeExt func(context unsafe.Pointer, sequence int32, flags uint32) uint
	LlamaStateSeqGetDataExt func(context unsafe.Pointer, to *byte, size uint, sequence int32, flags uint32) uint
	LlamaStateSeqSetDataExt func(context unsafe.Pointer, from *byte, size uint, sequence int32, flags uint32) uint
}

// bind fills the table by the addresses of C functions, 0 for one that is not there.
func bind(symbol func(name string) uintptr) (functions, error) {
	var f functions
	table := reflect.ValueOf(&f).Elem()
	for i := range table.NumField() {
		field := table.Type().Field(i)
		name := cName(field.Name)
		address := symbol(name)
		switch {
		case address != 0:
			purego.RegisterFunc(table.Field(i).Addr().Interface(), address)
		case field.Tag.Get("optional") == "":
			return f, fmt.Errorf("it has no function %s: it is older than b%d, or no whole llama.cpp", name, oldestBuild)
		}
	}
	return f, nil
}

// cName is the name of a C function: llama_n_swa for LlamaNSwa.
func cName(field string) string {
	var name strings.Builder
	for i, r := range field {
		if unicode.IsUpper(r) && i > 0 {
			name.WriteByte('_')
		}
		name.WriteRune(unicode.ToLower(r))
	}
	return name.String()
}

// batch is a llama_batch.
type batch struct {
	tokens    int32
	token     *int32
	_         *float32 // embeddings
	position  *int32
	sequences *int32
	sequence  **int32
	logits    *int8
}

// message is a llama_chat_message.
type message struct{ role, content *byte }

// threadpoolParams are ggml_threadpool_params: a bool for each of 512 CPUs, and what follows.
type threadpoolParams struct{ _ [66]uint64 }

// modelLayer is a proctor_layer: what a layer keeps.
type modelLayer struct {
	state             int32
	attends, windowed bool
}

// deviceProps are ggml_backend_dev_props, with room for what releases add.
type deviceProps struct {
	_, _ unsafe.Pointer // name, description
	_, _ uint64         // bytes free, in all
	_    int32          // kind
	id   *byte          // NULL where it is unknown
	_    [16]uint64
}

// deviceDetails is a proctor_device: what the engine that is compiled in knows of a device besides.
type deviceDetails struct {
	id           *byte // NULL where it is unknown
	major, minor int32 // of the driver; 0 where they are unknown
	integrated   int32
}

// goString is a C string's text; "" for NULL.
func goString(c *byte) string {
	if c == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(c), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(c, n))
}

// cString is a text for C, with its 0 at the end, which lives as long as Go refers to it.
func cString(s string) *byte { return unsafe.SliceData(append([]byte(s), 0)) }
