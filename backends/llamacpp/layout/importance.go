package layout

import (
	"runtime"
	"unsafe"
)

// imatrixData is a llama_model_imatrix_data.
type imatrixData struct {
	name *byte
	data *float32
	size uint
}

// ImportanceList is a list that ends with an empty name.
func ImportanceList(kept *runtime.Pinner, values map[string][]float32) unsafe.Pointer {
	list := make([]imatrixData, 0, len(values)+1)
	for name, columns := range values {
		d := imatrixData{CString(name), unsafe.SliceData(columns), uint(len(columns))}
		kept.Pin(d.name)
		kept.Pin(d.data)
		list = append(list, d)
	}
	list = append(list, imatrixData{})
	kept.Pin(&list[0])
	return unsafe.Pointer(&list[0])
}

// CString is a text for C, with its 0 at the end, which lives as long as Go refers to it.
func CString(s string) *byte { return unsafe.SliceData(append([]byte(s), 0)) }
