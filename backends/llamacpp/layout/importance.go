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

// unorderedMap is a std::unordered_map<std::string, std::vector<float>> of GNU's C++ library, with one bucket.
type unorderedMap struct {
	buckets     *unsafe.Pointer
	bucketCount uint
	first       *mapNode // what precedes it is the address of this field
	size        uint
	load        float32
	resize      uint
	bucket      unsafe.Pointer
}

// mapNode is an element of it: a std::string with room for short ones, a std::vector, and the name's hash.
type mapNode struct {
	next     *mapNode
	name     *byte
	length   uint
	_        [16]byte
	begin    *float32
	end, cap uintptr // no pointers: they may lead to what is nobody's
	hash     uintptr
}

// ImportanceMap is such a map, which the library only reads.
func ImportanceMap(kept *runtime.Pinner, values map[string][]float32, hash func(text *byte, length int) uintptr) unsafe.Pointer {
	m := &unorderedMap{bucketCount: 1, size: uint(len(values)), load: 1}
	kept.Pin(m)
	m.buckets, m.bucket = &m.bucket, unsafe.Pointer(&m.first)
	for name, columns := range values {
		n := &mapNode{next: m.first, name: CString(name), length: uint(len(name)), begin: unsafe.SliceData(columns)}
		kept.Pin(n)
		kept.Pin(n.name)
		kept.Pin(n.begin)
		n.end = uintptr(unsafe.Pointer(n.begin)) + uintptr(4*len(columns))
		n.cap = n.end
		n.hash = hash(n.name, len(name))
		m.first = n
	}
	return unsafe.Pointer(m)
}

// CString is a text for C, with its 0 at the end, which lives as long as Go refers to it.
func CString(s string) *byte { return unsafe.SliceData(append([]byte(s), 0)) }
