package kernels

import (
	"fmt"
	"reflect"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// FileName is what scripts/kernels-library.sh makes: the functions as a shared library.
const FileName = "libproctor-kernels.so"

// functions are those of kernels.h, but for the [Reductions].
type functions struct {
	Level      func(i int32) string                                           `c:"proctor_kernels_level"`
	LevelLacks func(i, n int32) string                                        `c:"proctor_kernels_level_lacks"`
	Install    func(level int32)                                              `c:"proctor_kernels_install"`
	Measure    func()                                                         `c:"proctor_kernels_measure"`
	Multiply   func(kind int32, columns int64, level int32)                   `c:"proctor_kernels_multiply"`
	Multiplier func(kind int32, columns int64) string                         `c:"proctor_kernels_multiplier"`
	Add        func(function uintptr) string                                  `c:"proctor_kernels_add"`
	Pack       func(on bool)                                                  `c:"proctor_kernels_pack"`
	Spread     func(nodes uint64)                                             `c:"proctor_kernels_spread"`
	Packs      func(kind int32, columns, rows int64) bool                     `c:"proctor_kernels_packs"`
	Attach     func(pool unsafe.Pointer, keys, values int32)                  `c:"proctor_kernels_attach"`
	Detach     func(pool unsafe.Pointer)                                      `c:"proctor_kernels_detach"`
	Rotates    func() bool                                                    `c:"proctor_kernels_rotates"`
	Share      func(pool unsafe.Pointer, streams int32, group, length *int32) `c:"proctor_kernels_share"`
}

// bound are the functions, or why there are none.
var bound = sync.OnceValues(bind[functions])

// bind fills a table, whose fields name their functions.
func bind[T any]() (*T, error) {
	symbol, err := find()
	if err != nil {
		return nil, err
	}
	var all T
	table := reflect.ValueOf(&all).Elem()
	for i := range table.NumField() {
		name := table.Type().Field(i).Tag.Get("c")
		address := symbol(name)
		if address == 0 {
			return nil, fmt.Errorf("%s is missing in the library of the kernels, which is of another proctor: take this version's", name)
		}
		purego.RegisterFunc(table.Field(i).Addr().Interface(), address)
	}
	return &all, nil
}
