package setting

import (
	"regexp"
	"runtime"
	"strings"

	"al.essio.dev/pkg/shellescape"
)

// Command is a command line of words as its reader can type it: on Windows in cmd.exe and PowerShell, elsewhere in a POSIX shell.
func Command(words ...string) string { return commandOn(runtime.GOOS, words) }

func commandOn(system string, words []string) string {
	if system != "windows" {
		return shellescape.QuoteCommand(words)
	}
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = quoteOnWindows(word)
	}
	return strings.Join(quoted, " ")
}

var (
	// plainOnWindows matches what neither cmd.exe nor PowerShell, to which a comma makes a list, changes.
	plainOnWindows = regexp.MustCompile(`^[\w./\\:=+-]+$`)
	// Backslashes before a double quote, the closing one too, are escapes by the C runtime's rules for arguments.
	beforeQuote, atEnd = regexp.MustCompile(`(\\*)"`), regexp.MustCompile(`(\\+)$`)
)

func quoteOnWindows(word string) string {
	if plainOnWindows.MatchString(word) {
		return word
	}
	return `"` + atEnd.ReplaceAllString(beforeQuote.ReplaceAllString(word, `$1$1\"`), `$1$1`) + `"`
}
