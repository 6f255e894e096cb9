package console

import (
	"context"
	"errors"

	"proctor/backends/registry"
)

// Interruption names the signal that ended something, wherever that was: while a model loads, say.
func Interruption(ctx context.Context, err error) error {
	if errors.Is(err, context.Canceled) && !errors.Is(err, ErrInterrupted) && errors.Is(context.Cause(ctx), ErrInterrupted) {
		return ErrInterrupted
	}
	return err
}

// The exit codes of every command.
const (
	ExitOK          = 0
	ExitGate        = 1   // a gate failed
	ExitUsage       = 2   // usage or bad input: all other errors
	ExitIncomplete  = 3   // the run has items without a completion
	ExitEngine      = 4   // the engine failed, or the server refuses everything: its key, its quota, its model
	ExitUndecided   = 5   // a gate is open: more questions would decide it
	ExitInvalid     = 6   // a gate had no valid score to judge
	ExitInterrupted = 130 // shells' code for SIGINT
)

// ExitCodes explains them, in every command's help.
const ExitCodes = "Exit codes: 0 ok, 1 a gate failed, 2 usage or bad input, 3 run incomplete (resume it),\n" +
	"4 the engine or server gave up, 5 a gate undecided, 6 no valid score for a gate, 130 interrupted."

// The errors that have their own exit code, besides the engine's.
var (
	ErrGate        = errors.New("the gate failed")
	ErrUndecided   = errors.New("the gate is undecided")
	ErrInvalid     = errors.New("the gate has no valid score to judge")
	ErrIncomplete  = errors.New("the run is incomplete")
	ErrInterrupted = errors.New("interrupted")
)

// ExitCode maps an error to the program's exit code.
func ExitCode(err error) int {
	switch {
	case err == nil:
		return ExitOK
	case errors.Is(err, ErrGate):
		return ExitGate
	case errors.Is(err, ErrUndecided):
		return ExitUndecided
	case errors.Is(err, ErrInvalid):
		return ExitInvalid
	case registry.BackendFailed(err):
		return ExitEngine
	case errors.Is(err, ErrIncomplete):
		return ExitIncomplete
	case errors.Is(err, ErrInterrupted):
		return ExitInterrupted
	default:
		return ExitUsage
	}
}
