package importlog

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
)

// A message is one of a conversation, as evalscope and Inspect write it, or with OpenCompass's names.
type message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	Prompt  json.RawMessage `json:"prompt"`
}

// text is what a message says: its content, or the parts of it that are text and no reasoning.
func (m message) text() string {
	for _, raw := range []json.RawMessage{m.Content, m.Prompt} {
		var whole string
		if json.Unmarshal(raw, &whole) == nil && raw != nil {
			return whole
		}
		var parts []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}
		if json.Unmarshal(raw, &parts) == nil && raw != nil {
			for _, part := range parts {
				if part.Type == "text" {
					whole += part.Text
				}
			}
			return whole
		}
	}
	return ""
}

// asks says whether the message is part of the prompt: the completion is no part of it.
func (m message) asks() bool {
	return !strings.EqualFold(m.Role, "assistant")
}

// conversation reads messages up to the completion, which may be the last of them. There are none where raw is a text.
func conversation(raw json.RawMessage) []message {
	var all []message
	if json.Unmarshal(raw, &all) != nil {
		return nil
	}
	for len(all) > 0 && !all[len(all)-1].asks() {
		all = all[:len(all)-1]
	}
	return all
}

// promptOf is the whole prompt of the first of two that is one: a text, or messages. Several messages are kept as a list, which
// makes it a chat.
func promptOf(first, second json.RawMessage) (prompt string, chat bool) {
	for _, raw := range []json.RawMessage{first, second} {
		if json.Unmarshal(raw, &prompt) == nil && prompt != "" {
			return prompt, false
		}
		switch messages := conversation(raw); len(messages) {
		case 0:
		case 1:
			return messages[0].text(), true
		default:
			type turn struct {
				Role    string `json:"role"`
				Content string `json:"content"`
			}
			turns := make([]turn, len(messages))
			for i, m := range messages {
				turns[i] = turn{m.Role, m.text()}
			}
			written, _ := json.Marshal(turns) // texts alone
			return string(written), true
		}
	}
	return "", false
}

// lastAsked is the last message's text of a prompt, or the prompt.
func lastAsked(raw json.RawMessage) string {
	var whole string
	if json.Unmarshal(raw, &whole) == nil {
		return whole
	}
	if messages := conversation(raw); len(messages) > 0 {
		return messages[len(messages)-1].text()
	}
	return ""
}

// optionLines match the line that begins an option, by its letter, in the two ways of the harnesses whose logs have a prompt alone.
var optionLines = lettered(`(?m)^%s\) `, `(?m)^%s\. `)

var (
	optionsHead  = regexp.MustCompile(`\n\s*Options:\s*$`)
	questionHead = regexp.MustCompile(`(?s)^.*(?:^|\n)Question:\s*\n`)
)

// shown takes a question and its options out of a prompt that ends with the options, a line or more each.
func shown(prompt string, chat bool) (sample, error) {
	s := sample{prompt: prompt, chat: chat}
	last := prompt
	if messages := conversation(json.RawMessage(prompt)); len(messages) > 0 {
		last = messages[len(messages)-1].text()
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
