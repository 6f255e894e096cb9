package console

import (
	"io"
	"os"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"proctor/runner/ask/progress"
)

// A Screen is a terminal that shows progress in a few lines at its end, redrawn in place. Other output appears above them.
type Screen struct {
	terminal *os.File
	mu       sync.Mutex
	program  *tea.Program // nil while nothing is shown
	ended    chan struct{}
}

// ScreenOn is a terminal's screen.
func ScreenOn(terminal *os.File) *Screen { return &Screen{terminal: terminal} }

// Show starts to show updates, with the first one, until [Screen.Stop].
func (s *Screen) Show(first progress.Update) {
	s.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	// No input is read: the terminal keeps its settings, and Ctrl-C remains the usual signal.
	program := tea.NewProgram(view{update: first}, tea.WithInput(nil), tea.WithOutput(s.terminal), tea.WithoutSignalHandler())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = program.Run() // a closed terminal shows nothing
	}()
	s.program, s.ended = program, ended
}

// Update shows the current progress.
func (s *Screen) Update(u progress.Update) {
	s.mu.Lock()
	program := s.program
	s.mu.Unlock()
	if program != nil {
		program.Send(u)
	}
}

// Stop leaves the first line of the last update on the terminal, with the cursor below it, so that what follows has room. It may be called
// at any time, and again.
func (s *Screen) Stop() {
	s.mu.Lock()
	program, ended := s.program, s.ended
	s.program = nil
	s.mu.Unlock()
	if program == nil {
		return
	}
	program.Send(over{})
	program.Quit()
	select {
	case <-ended:
	case <-time.After(time.Second): // the terminal accepts no output
		program.Kill()
	}
}

// Write writes lines, above the progress while that is shown.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	program := s.program
	s.mu.Unlock()
	if program == nil {
		return s.terminal.Write(p)
	}
	lines := strings.Trim(strings.NewReplacer("\r", "", "\x1b[K", "").Replace(string(p)), "\n") // of a line that is redrawn
	program.Println(lines)
	return len(p), nil
}

var _ io.Writer = (*Screen)(nil)

// over says that no further update follows.
type over struct{}

// view is the shown progress, and the terminal's size.
type view struct {
	update        progress.Update
	columns, rows int
	over          bool
}

func (v view) Init() tea.Cmd { return nil }

func (v view) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	switch m := message.(type) {
	case progress.Update:
		v.update = m
	case over:
		v.over = true
	case tea.WindowSizeMsg:
		v.columns, v.rows = m.Width, m.Height
	}
	return v, nil
}

func (v view) View() tea.View {
	if v.columns == 0 { // not known yet
		return tea.NewView("")
	}
	lines := v.update.Lines(v.columns, v.rows)
	if v.over {
		lines = []string{lines[0], ""} // the library erases the last one when it quits
	}
	return tea.NewView(strings.Join(lines, "\n"))
}
