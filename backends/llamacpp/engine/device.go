package engine

import (
	"strings"

	"github.com/dustin/go-humanize"
)

// A Device is a graphics processor that an engine can use.
type Device struct {
	Name        string // as ggml numbers them, such as CUDA0
	Description string // its maker's name for it
	Driver      string // what of the driver is known; empty for nothing
	Free, Total int64  // memory in bytes
	Shared      bool   // that memory is the machine's own
}

// String describes the device in a run's record.
func (d Device) String() string {
	parts := []string{d.Name + " " + d.Description}
	if d.Driver != "" {
		parts = append(parts, "driver "+d.Driver)
	}
	if d.Total > 0 {
		parts = append(parts, humanize.IBytes(uint64(d.Total)))
	}
	return strings.Join(parts, ", ")
}
