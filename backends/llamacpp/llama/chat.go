package llama

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	"proctor/backends"
)

// BuiltinTemplates lists the chat templates that llama.cpp has in its own code, by name.
func (l *Library) BuiltinTemplates() []string {
	found := make([]unsafe.Pointer, l.LlamaChatBuiltinTemplates(nil, 0))
	l.LlamaChatBuiltinTemplates(&found[0], uint(len(found)))
	names := make([]string, len(found))
	for i, name := range found {
		names[i] = goString((*byte)(name))
	}
	slices.Sort(names)
	return names
}

// ApplyBuiltinTemplate writes a conversation down by one of llama.cpp's own templates, up to where the assistant's turn begins, without a BOS
// token (llama_chat_apply_template).
func (l *Library) ApplyBuiltinTemplate(name string, turns []backends.Message) (string, error) {
	if names := l.BuiltinTemplates(); !slices.Contains(names, name) {
		return "", fmt.Errorf("no built-in chat template %q; there are %s", name, strings.Join(names, ", "))
	}
	var kept runtime.Pinner // C reads them through pointers
	defer kept.Unpin()
	messages := make([]message, max(len(turns), 1))
	size := 0
	for i, turn := range turns {
		messages[i] = message{cString(turn.Role), cString(turn.Content)}
		kept.Pin(messages[i].role)
		kept.Pin(messages[i].content)
		size += len(turn.Role) + len(turn.Content)
	}
	for room := 2*size + 256; ; {
		text := make([]byte, room)
		n := int(l.LlamaChatApplyTemplate(name, &messages[0], uint(len(turns)), true, &text[0], int32(room)))
		if n < 0 {
			return "", fmt.Errorf("the built-in chat template %s does not take this conversation", name)
		}
		if n <= room {
			return string(text[:n]), nil
		}
		room = n
	}
}
