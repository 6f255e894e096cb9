package flags

import (
	"fmt"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
	"gotest.tools/v3/assert"
)

const askWords = `ask [MODEL]
ask a model

Asks it.
-- more --
And asks again.
-- short --
limit
-- QUESTIONS --
limit, l [all, which is a lot]: ask ` + "`N`" + ` questions
   of [all]: there are
-- command list DIR --
list it

All of it.
-- flags --
long: show everything
`

func TestWordsAreThoseOfACommandItsFlagsAndTheCommandsBelow(t *testing.T) {
	w := ParseWords(askWords, ParseWords("shared\n\n-- RESULT --\nquiet, q: say nothing\n", nil))
	command, list := w.Command(&cli.Command{}), w.Below("list").Command(&cli.Command{})
	limit, long, quiet := w.of("limit"), w.Below("list").of("long"), w.Below("list").of("quiet")
	for got, want := range map[string]string{
		strings.Join([]string{command.Name, command.ArgsUsage, command.Usage}, "|"):          "ask|[MODEL]|ask a model",
		command.Description + "|" + command.CustomHelpTemplate:                               "Asks it.\n\fAnd asks again.|limit\n",
		strings.Join([]string{list.Name, list.ArgsUsage, list.Usage, list.Description}, "|"): "list|DIR|list it|All of it.",
		fmt.Sprintf("%q", limit): `{"limit" ["l"] "QUESTIONS" "all, which is a lot" "ask ` + "`N`" + ` questions of [all]: there are"}`,
		fmt.Sprintf("%q", long):  `{"long" [] "" "" "show everything"}`,
		fmt.Sprintf("%q", quiet): `{"quiet" ["q"] "RESULT" "" "say nothing"}`,
	} {
		assert.Check(t, got == want, "got %q, want %q", got, want)
	}
	defer func() {
		assert.Check(t, recover() != nil, "a flag without words is taken")
	}()
	w.of("lost")
}
