package registry

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"proctor/backends"
	"proctor/backends/isolated"
	"proctor/backends/llamacpp"
)

// Whether the in-process engine gets a process of its own.
const (
	IsolateAuto = "auto" // for every model but the control model, which is a part of this program
	IsolateOn   = "on"
	IsolateOff  = "off"
)

// CheckIsolate refuses any other word.
func CheckIsolate(word string) error {
	switch word {
	case IsolateAuto, IsolateOn, IsolateOff:
		return nil
	}
	return fmt.Errorf("give %s", strings.Join([]string{IsolateAuto, IsolateOn, IsolateOff}, ", "))
}

// start opens a file's model, in this process or in one of its own.
func (o *Options) start(ctx context.Context, options llamacpp.Options) (backends.Model, error) {
	if o.Isolate == "" || o.Isolate == IsolateOff {
		return llamacpp.Open(ctx, options)
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	model, err := isolated.Open(ctx, isolated.Options{
		Engine: options, Program: program, Args: o.EngineArgs, Warn: o.warn,
	})
	if err != nil {
		return nil, err
	}
	return model, nil
}

// ServeEngine is what the program does that was started with [Options].EngineArgs.
func ServeEngine() error { return isolated.Serve() }

// GaveUp says whether an error is the engine's death.
func GaveUp(err error) bool {
	death := (*isolated.Death)(nil)
	return errors.As(err, &death)
}
