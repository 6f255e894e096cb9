package llama

import (
	"log/slog"
	"strings"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// All engines have one log for the whole process. Its lines go to every open model's log function; the errors among
// them are also kept, since a call that fails says why only there.
var engineLog = lines{listeners: map[*listener]bool{}}

type lines struct {
	sync.Mutex
	listeners map[*listener]bool
	last      string // the last error of a GPU's backend
	level     slog.Level
	line      strings.Builder // what came of the current line
}

type listener struct {
	path   string // of the model that it listens for; "" where it is none's
	log    func(slog.Level, string)
	errors []string
}

// listen starts to receive the engine's lines, for the model at path where there is one.
func listen(path string, log func(slog.Level, string)) *listener {
	l := &listener{path: path, log: log}
	engineLog.Lock()
	defer engineLog.Unlock()
	engineLog.listeners[l] = true
	return l
}

func (l *listener) Close() {
	engineLog.Lock()
	defer engineLog.Unlock()
	delete(engineLog.listeners, l)
}

// reason returns the errors logged since the last call in one line, or otherwise where there were none.
func (l *listener) reason(otherwise string) string {
	engineLog.Lock()
	defer engineLog.Unlock()
	errors := l.errors
	l.errors = nil
	if len(errors) == 0 {
		return otherwise
	}
	return strings.Join(errors, "; ")
}

// lastError is the last error that a GPU's backend logged, if it begins so.
func lastError(prefix string) string {
	engineLog.Lock()
	defer engineLog.Unlock()
	if !strings.HasPrefix(engineLog.last, prefix) {
		return ""
	}
	return engineLog.last
}

// logCallback is a ggml_log_callback.
var logCallback = sync.OnceValue(func() uintptr {
	return purego.NewCallback(func(level int32, text *byte, _ unsafe.Pointer) uintptr {
		engineSays(int(level), goString(text))
		return 0
	})
})

// engineSays takes some text of the engine's log: a line, or a piece of one.
func engineSays(level int, text string) {
	engineLog.Lock()
	defer engineLog.Unlock()
	if level != levelContinued {
		engineLog.flush()
		engineLog.level = levelOf(level)
	}
	engineLog.line.WriteString(text)
	if strings.HasSuffix(text, "\n") {
		engineLog.flush()
	}
}

// flush hands the gathered line to the listeners, called with the lock held.
func (l *lines) flush() {
	text := strings.Join(strings.Fields(l.line.String()), " ") // what a model says of itself may have breaks of lines
	l.line.Reset()
	if strings.Trim(text, ".") == "" {
		return // the engine's own progress dots
	}
	if l.level >= slog.LevelError && gpuError(text) != "" {
		l.last = text
	}
	for each := range l.listeners {
		if l.level >= slog.LevelError {
			each.errors = append(each.errors, text)
		}
		if each.log != nil {
			each.log(l.level, text)
		}
	}
}

// Levels of ggml_log_level.
const (
	levelInfo      = 2
	levelError     = 4
	levelContinued = 5
)

// levelOf is a level of ggml_log_level, which follow each other from debugging to errors as slog's do, 4 apart.
func levelOf(level int) slog.Level {
	const apart = slog.LevelWarn - slog.LevelInfo
	return max(slog.LevelDebug, slog.LevelInfo+apart*slog.Level(level-levelInfo))
}
