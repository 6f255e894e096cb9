package llama

import (
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/scripts/tests/errortest"
)

func TestBuiltinTemplatesWriteConversationsDown(t *testing.T) {
	names := Builtin().BuiltinTemplates()
	assert.Assert(t, slices.Contains(names, "chatml") && slices.Contains(names, "llama3"), "built-in templates %v", names)
	long := strings.Repeat("é", 5000)
	got, err := Builtin().ApplyBuiltinTemplate("chatml", []backends.Message{{Role: "system", Content: "Be brief."}, {Role: "user", Content: long}})
	want := "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n" + long + "<|im_end|>\n<|im_start|>assistant\n"
	assert.Check(t, err == nil && got == want, "error %v, text %.80q…", err, got)
	_, err = Builtin().ApplyBuiltinTemplate("haiku", nil)
	errortest.Says(t, err, `no built-in chat template "haiku"; there are `)
}
