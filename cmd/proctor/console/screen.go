package console

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"

	"proctor/runner/ask/progress"
	"proctor/runner/report/page"
)

// A Screen is a terminal that shows progress in its last line, redrawn in place. Other output appears above it.
type Screen struct {
	terminal *os.File
	mu       sync.Mutex
	line     string // empty while no progress is shown
}

// ScreenOn is a terminal's screen.
func ScreenOn(terminal *os.File) *Screen { return &Screen{terminal: terminal} }

// Update shows the current progress, as much of it as fits the terminal.
func (s *Screen) Update(u progress.Update) {
	columns, _, err := term.GetSize(int(s.terminal.Fd()))
	if err != nil || columns == 0 {
		columns = page.FirstColumns
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line = text.Trim(page.Visible(u.Line()), columns-1)
	fmt.Fprintf(s.terminal, "\r%s\x1b[K", s.line)
}

// Stop leaves the last progress on the terminal, with the cursor below it. It may be called at any time, and again.
func (s *Screen) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.line != "" {
		s.line = ""
		fmt.Fprintln(s.terminal)
	}
}

// Write writes lines, above the progress while that is shown.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.line == "" {
		return s.terminal.Write(p)
	}
	lines := strings.Trim(strings.NewReplacer("\r", "", "\x1b[K", "").Replace(string(p)), "\n") // of a line that is redrawn
	_, err := fmt.Fprintf(s.terminal, "\r\x1b[K%s\n%s", lines, s.line)
	return len(p), err
}

var _ io.Writer = (*Screen)(nil)
