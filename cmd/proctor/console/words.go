package console

import (
	"embed"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"proctor/backends"
	"proctor/backends/registry"
	"proctor/cmd/proctor/flags"
	"proctor/prompts"
	"proctor/prompts/task"
	"proctor/runner/mark/format"
	"proctor/runner/mark/grade"
)

//go:embed words/*.txt
var files embed.FS

// SharedWords are the texts of flags that several commands have.
var SharedWords = read("shared", nil)

// WordsOf are a command's texts. values are pairs of a name in braces, as in {fields}, and the text that replaces it.
func WordsOf(command string, values ...string) *flags.Words {
	return read(command, SharedWords, values...)
}

func read(name string, shared *flags.Words, values ...string) *flags.Words {
	text, err := files.ReadFile("words/" + name + ".txt")
	if err != nil {
		panic(err)
	}
	return flags.ParseWords(strings.NewReplacer(slices.Concat(common, values)...).Replace(string(text)), shared)
}

// common are the values for all texts.
var common = []string{
	"{tasks}", task.ShortNames(), "{models}", registry.Forms(),
	"{styles}", format.List(prompts.Styles, func(s prompts.Style) string { return s.Name }),
	"{sampling}", english.WordSeries(backends.SamplingNames(), "and"), "{typed}", format.Typed,
	"{itself}", task.Names(task.Itself), "{each option}", task.Names(task.EachOption), "{each order}", task.Names(task.EachOrder),
	"{rules}", grade.Names(grade.Sets()), "{rule file}", grade.RuleHelp,
}
