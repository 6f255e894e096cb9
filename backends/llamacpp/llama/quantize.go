package llama

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"

	"proctor/backends/llamacpp/builtin"
	"proctor/backends/llamacpp/layout"
	"proctor/backends/llamacpp/shared"
)

// Quantization is what [Quantize] is told.
type Quantization struct {
	From, To   string // files; To is written over
	Type       string // one of FileTypes
	Threads    int    // at least 1
	Requantise bool   // take tensors that are quantised already

	// Importance has for each column of a matrix how much its weights matter: the mean square of what it is multiplied with. By name of
	// the tensor; a mixture's experts follow each other. Tensors that it lacks are quantised without.
	Importance map[string][]float32

	Progress func(tensor string) `json:"-"` // is told of each tensor before it is written
}

// Quantize writes a quantised copy of a model's file. The end of ctx stops the library that is compiled in before the next tensor; a
// loaded one goes on.
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
	done := builtin.Quantize(q.From, q.To, fileTypes[q.Type], q.Threads, q.Requantise, q.Importance, announced)
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
	if !layout.FitsQuantize(p) {
		return fmt.Errorf("the parameters of quantising lie otherwise in %s than in the releases that are known", l.version)
	}
	p.SetInt(layout.QuantizeThreads, q.Threads)
	p.SetInt(layout.QuantizeType, int(fileTypes[q.Type]))
	p.SetBool(layout.QuantizeRequantise, q.Requantise)
	var kept runtime.Pinner // until it is done
	defer kept.Unpin()
	if q.Importance != nil {
		values, err := l.importance(&kept, q.Importance)
		if err != nil {
			return err
		}
		p.SetPointer(layout.QuantizeImportance, values)
	}
	log := listen(q.From, func(_ slog.Level, line string) { announced(line) })
	defer log.Close()
	if l.LlamaModelQuantize(q.From, q.To, &p) != 0 {
		return errors.New(log.reason("the engine gave no reason"))
	}
	return nil
}

// fileTypes is llama.cpp's enum llama_ftype.
var fileTypes = map[string]int32{
	"F32": 0, "F16": 1, "BF16": 32,
	"Q8_0": 7, "Q6_K": 18,
	"Q5_K_M": 17, "Q5_K_S": 16,
	"Q5_1": 9, "Q5_0": 8,
	"Q4_K_M": 15, "Q4_K_S": 14,
	"Q4_1": 3, "Q4_0": 2,
	"IQ4_NL": 25, "IQ4_XS": 30, "MXFP4_MOE": 38,
	"Q3_K_L": 13, "Q3_K_M": 12, "Q3_K_S": 11,
	"IQ3_M": 27, "IQ3_S": 26, "IQ3_XS": 22,
	"IQ3_XXS": 23, "Q2_K": 10, "Q2_K_S": 21,
	"IQ2_M": 29, "IQ2_S": 28, "IQ2_XS": 20,
	"IQ2_XXS": 19, "IQ1_M": 31, "IQ1_S": 24,
	"TQ2_0": 37, "TQ1_0": 36,
}

// lastWithMap is the last release that is known to take an importance matrix as a map of C++. Later ones take a list, from an unknown
// release on.
const lastWithMap = 8390

// importance is an importance matrix as the library takes it, in memory that stays until kept is unpinned.
func (l *Library) importance(kept *runtime.Pinner, values map[string][]float32) (unsafe.Pointer, error) {
	build := buildNumber(l.version)
	switch {
	case l.layout.ImportanceList:
		return layout.ImportanceList(kept, values), nil
	case build < oldestBuild || build > lastWithMap:
		return nil, fmt.Errorf("it is not known in what form %s takes an importance matrix: choose b%d or older, or b9842 or newer",
			l.version, lastWithMap)
	}
	hash := shared.Symbol(l.handle, "_ZSt11_Hash_bytesPKvmm")
	if hash == 0 {
		return nil, fmt.Errorf("%s takes an importance matrix as a map of its C++ library, which is not GNU's: choose b9842 or newer", l.version)
	}
	return layout.ImportanceMap(kept, values, func(text *byte, length int) uintptr {
		const seed = 0xc70f6907 // of std::hash
		code, _, _ := purego.SyscallN(hash, uintptr(unsafe.Pointer(text)), uintptr(length), seed)
		return code
	}), nil
}
