package llama

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"unsafe"

	"proctor/backends/gguf"
	"proctor/backends/llamacpp/builtin"
)

// Quantization are the options of [Library.Quantize].
type Quantization struct {
	From, To   string // files; To is written over
	Type       string // as [gguf.File.FileType] names it
	Threads    int    // at least 1
	Requantise bool   // take tensors that are quantised already

	// Importance has for each column of a matrix how much its weights matter: the mean square of what it is multiplied with. By name of
	// the tensor; a mixture's experts follow each other. Tensors that it lacks are quantised without.
	Importance map[string][]float32

	Progress func(tensor string) `json:"-"` // is called before each tensor is written
}

// Quantize writes a quantised copy of a model's file. The end of ctx stops the library that is compiled in before the next tensor; a
// loaded one continues.
func (l *Library) Quantize(ctx context.Context, q Quantization) error {
	announced := func(line string) bool {
		var number, of int
		var tensor string
		// A line such as "[   1/ 101] output.weight - …".
		n, _ := fmt.Sscanf(strings.ReplaceAll(line, "[", " "), "%d/%d] %s", &number, &of, &tensor)
		if n == 3 && q.Progress != nil {
			q.Progress(tensor)
		}
		return n != 3 || ctx.Err() == nil
	}
	if l.folder != "" {
		return l.quantize(q, announced)
	}
	log := listen(q.From, nil)
	defer log.Close()
	done := builtin.Quantize(q.From, q.To, int32(gguf.FileTypeNumber(q.Type)), q.Threads, q.Requantise, q.Importance, announced)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case !done:
		return errors.New(log.reason("the engine gave no reason"))
	}
	return nil
}

// quantize has a loaded library do it; announced gets its log's lines.
func (l *Library) quantize(q Quantization, announced func(line string) bool) error {
	if l.LlamaModelQuantize == nil || l.LlamaModelQuantizeDefaultParams == nil {
		return fmt.Errorf("%s cannot quantise", l.version)
	}
	p := l.LlamaModelQuantizeDefaultParams()
	if !fitsQuantize(p) {
		return fmt.Errorf("the quantising parameters of %s have another layout than in the known releases", l.version)
	}
	p.SetInt(quantizeThreads, q.Threads)
	p.SetInt(quantizeType, gguf.FileTypeNumber(q.Type))
	p.SetBool(quantizeRequantise, q.Requantise)
	var kept runtime.Pinner // until it is done
	defer kept.Unpin()
	if q.Importance != nil {
		if !l.layout.ImportanceList {
			return fmt.Errorf("%s takes no importance matrix from proctor: the engine that is compiled in does, as do b9842 and later ones", l.version)
		}
		p.SetPointer(quantizeImportance, importanceList(&kept, q.Importance))
	}
	log := listen(q.From, func(_ slog.Level, line string) { announced(line) })
	defer log.Close()
	if l.LlamaModelQuantize(q.From, q.To, &p) != 0 {
		return errors.New(log.reason("the engine gave no reason"))
	}
	return nil
}

// Fields of llama_model_quantize_params, which lie first and in all releases that are known.
const (
	quantizeThreads    offset = 0
	quantizeType       offset = 4
	quantizeRequantise offset = 16
	quantizeImportance offset = 24
)

// fitsQuantize says whether these are the defaults of those parameters: as many threads as there are, the types of two tensors left
// open, and of four booleans that the output matrix is quantised, too. The number of types stands for an open one. The file's type is
// Q5_1 or, since 2026, Q8_0.
func fitsQuantize(p params) bool {
	types := p.Word(8)
	return types != 0 && hasWords(p, map[offset]uint32{
		quantizeThreads: 0, 12: types, quantizeRequantise: 0x100, quantizeImportance: 0, quantizeImportance + 4: 0,
	})
}

// imatrixData is a llama_model_imatrix_data.
type imatrixData struct {
	name *byte
	data *float32
	size uint
}

// importanceList is a list that ends with an empty name.
func importanceList(kept *runtime.Pinner, values map[string][]float32) unsafe.Pointer {
	list := make([]imatrixData, 0, len(values)+1)
	for name, columns := range values {
		d := imatrixData{cString(name), unsafe.SliceData(columns), uint(len(columns))}
		kept.Pin(d.name)
		kept.Pin(d.data)
		list = append(list, d)
	}
	list = append(list, imatrixData{})
	kept.Pin(&list[0])
	return unsafe.Pointer(&list[0])
}
