package importlog

import (
	"cmp"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// messageText is a message's text, as evalscope writes it, or under OpenCompass's key: its content, or the text parts
// of it without reasoning.
func messageText(message gjson.Result) (whole string) {
	for _, content := range []gjson.Result{message.Get("content"), message.Get("prompt")} {
		if content.Type == gjson.String {
			return content.Str
		}
		if content.IsArray() {
			for _, part := range content.Array() {
				if part.Get("type").Str == "text" {
					whole += part.Get("text").Str
				}
			}
			return whole
		}
	}
	return ""
}

// conversation reads messages up to the completion, which may be the last of them. There are none where raw is a text.
func conversation(raw gjson.Result) []gjson.Result {
	all := raw.Array()
	if !raw.IsArray() || slices.ContainsFunc(all, func(m gjson.Result) bool { return !m.IsObject() }) {
		return nil
	}
	for len(all) > 0 && strings.EqualFold(all[len(all)-1].Get("role").Str, "assistant") {
		all = all[:len(all)-1]
	}
	return all
}

// promptOf is the whole prompt of the first of two that is one: a text, or messages. Several messages are kept as a list, which
// makes it a chat.
func promptOf(first, second gjson.Result) (prompt string, chat bool) {
	for _, raw := range []gjson.Result{first, second} {
		if raw.Type == gjson.String && raw.Str != "" {
			return raw.Str, false
		}
		switch messages := conversation(raw); len(messages) {
		case 0:
		case 1:
			return messageText(messages[0]), true
		default:
			type turn struct {
				Role    string `json:"role"`
				Content string `json:"content"`
			}
			turns := make([]turn, len(messages))
			for i, m := range messages {
				turns[i] = turn{m.Get("role").Str, messageText(m)}
			}
			written, _ := json.Marshal(turns) // strings always marshal
			return string(written), true
		}
	}
	return "", false
}

// lastMessage is the last message's text of a prompt, or the prompt.
func lastMessage(raw gjson.Result) string {
	if messages := conversation(raw); len(messages) > 0 {
		return messageText(messages[len(messages)-1])
	}
	return raw.Str
}

// optionLines match the start of an option's line, by its letter, in the two layouts of harnesses that log prompts only.
var optionLines = lettered(`(?m)^%s\) `, `(?m)^%s\. `)

var (
	optionsHead  = regexp.MustCompile(`\n\s*Options:\s*$`)
	questionHead = regexp.MustCompile(`(?s)^.*(?:^|\n)Question:\s*\n`)
)

// shown takes a question and its options out of a prompt that ends with the options, a line or more each.
func shown(prompt string, chat bool) (sample, error) {
	s := sample{prompt: prompt, chat: chat}
	last := prompt
	if chat && gjson.Valid(prompt) {
		last = cmp.Or(lastMessage(gjson.Parse(prompt)), prompt)
	}
	for _, letters := range optionLines {
		at := letters[0].FindAllStringIndex(last, -1)
		if len(at) == 0 {
			continue
		}
		from := at[len(at)-1]
		s.options = cutAt(letters[1:], last[from[1]:])
		for i, option := range s.options {
			s.options[i] = strings.TrimRight(option, "\r\n")
		}
		s.options[len(s.options)-1] = strings.TrimSpace(s.options[len(s.options)-1])
		before := last[:from[0]]
		before = before[:len(before)-len(optionsHead.FindString(before))]
		if head := questionHead.FindString(before); head != "" {
			before = before[len(head):]
		} else if _, after, ok := strings.Cut(before, "\n\n"); ok {
			before = after // the instruction comes before a blank line
		}
		s.question = strings.TrimSpace(before)
		return s, nil
	}
	return s, errors.New(`its prompt shows no options, a line each, such as "A) red": only logs of multiple-choice questions are imported`)
}
