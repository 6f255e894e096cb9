package llama

// #include <stdlib.h>
// #include "engine.h"
import "C"

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"proctor/backends"
)

// BuiltinTemplates lists the chat templates that llama.cpp has in its own code, by name.
func BuiltinTemplates() []string {
	found := make([]*C.char, C.llama_chat_builtin_templates(nil, 0))
	C.llama_chat_builtin_templates(&found[0], C.size_t(len(found)))
	names := make([]string, len(found))
	for i, name := range found {
		names[i] = C.GoString(name)
	}
	slices.Sort(names)
	return names
}

// ApplyBuiltinTemplate writes a conversation down by one of llama.cpp's own templates, up to where the assistant is to
// go on, without a BOS token (llama_chat_apply_template).
func ApplyBuiltinTemplate(name string, turns []backends.Message) (string, error) {
	if !slices.Contains(BuiltinTemplates(), name) {
		return "", fmt.Errorf("no built-in chat template %q; there are %s", name, strings.Join(BuiltinTemplates(), ", "))
	}
	template, free := cString(name)
	defer free()
	messages := (*C.struct_llama_chat_message)(C.calloc(C.size_t(max(len(turns), 1)), C.sizeof_struct_llama_chat_message))
	defer C.free(unsafe.Pointer(messages))
	size := 0
	for i, turn := range turns {
		role, free := cString(turn.Role)
		defer free()
		content, free := cString(turn.Content)
		defer free()
		unsafe.Slice(messages, len(turns))[i] = C.struct_llama_chat_message{role: role, content: content}
		size += len(turn.Role) + len(turn.Content)
	}
	for room := 2*size + 256; ; {
		text := make([]byte, room)
		into := (*C.char)(unsafe.Pointer(&text[0]))
		n := int(C.llama_chat_apply_template(template, messages, C.size_t(len(turns)), true, into, C.int32_t(room)))
		if n < 0 {
			return "", fmt.Errorf("the built-in chat template %s does not take this conversation", name)
		}
		if n <= room {
			return string(text[:n]), nil
		}
		room = n
	}
}
