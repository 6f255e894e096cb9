package isolated

import (
	"errors"
	"io"
	"log/slog"
	"os"

	"proctor/backends"
)

// None is what calls have without arguments or results.
type None struct{}

// Opened is what is known of a model at once.
type Opened struct {
	Template   backends.ChatTemplate
	Vocabulary string // its SHA-256
}

// Next is a request, or that there are no more.
type Next struct {
	Request  backends.Request // without its functions
	Done     bool             // it has that function
	Partings bool             // and that one
	End      bool
}

// Growth is how a completion's text goes on.
type Growth struct {
	ID   string
	From int // bytes of it that stay
	More []byte
}

// Beat is how far a process is. Both numbers only grow.
type Beat struct {
	Batches int64 // that were computed
	Done    int64 // they, their operations, and the bytes that were hashed
}

// Token is what a text is as a token.
type Token struct {
	ID    int32
	Found bool
}

// Share is what other programs took of the CPUs.
type Share struct {
	Others float64
	Known  bool
}

// Line is one of the engine's log.
type Line struct {
	Level slog.Level
	Text  string
}

// Names of the two services.
const (
	engineService = "Engine"
	parentService = "Parent"
)

// pipes are one to read from and one to write to.
type pipes struct {
	io.Reader
	io.Writer
	files [2]*os.File
}

func joined(read, write *os.File) *pipes { return &pipes{read, write, [2]*os.File{read, write}} }

// Close implements [io.Closer].
func (p *pipes) Close() error { return errors.Join(p.files[0].Close(), p.files[1].Close()) }
