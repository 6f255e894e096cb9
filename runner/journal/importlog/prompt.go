package importlog

import (
	"encoding/json"
	"errors"
	"maps"
	"strings"

	"github.com/tidwall/gjson"

	"proctor/backends"
)

// unknownShots is the number of shots in the header of a log that does not record it.
const unknownShots = -1

// generation are the settings that lm-eval logs with a prompt and a journal has a field for.
type generation struct {
	Until       []string `json:"until"`
	MaxGenToks  int      `json:"max_gen_toks"`
	Temperature float64  `json:"temperature"`
	TopP        float64  `json:"top_p"`
	DoSample    bool     `json:"do_sample"`
}

// ask reads the arguments of an lm-eval sample: {"gen_args_0": {"arg_0": prompt, "arg_1": settings}}, or
// [[prompt, settings]] in older logs. A chat prompt is a list of messages, or its JSON as a text.
func (s *sample) ask(arguments gjson.Result) error {
	call := arguments.Get("0")
	prompt, settings := call.Get("0"), call.Get("1")
	if arguments.IsObject() {
		prompt, settings = arguments.Get("gen_args_0.arg_0"), arguments.Get("gen_args_0.arg_1")
	}
	if !prompt.Exists() {
		if arguments.IsObject() || arguments.Type == gjson.Null {
			return nil
		}
		return errors.New("arguments are not what lm-eval writes")
	}
	text, is := textIn(prompt)
	if !is { // messages
		text = prompt.Raw
	}
	s.prompt, s.chat = text, strings.HasPrefix(text, "[{")
	if !settings.Exists() {
		return nil
	}
	var g generation
	if err := json.Unmarshal([]byte(settings.Raw), &g); err != nil {
		return errors.New("arguments: the settings are not what lm-eval writes for generated answers")
	}
	s.sampling.Stop, s.sampling.MaxTokens = g.Until, g.MaxGenToks
	if g.DoSample {
		s.sampling.Temperature, s.sampling.TopP = g.Temperature, g.TopP
	}
	return nil
}

// preambles finds the common beginning of each subject's prompts, up to the end of a line; none for a subject with one question.
func preambles(samples, questions []sample) map[string]string {
	common, count := map[string]string{}, map[string]int{}
	for _, q := range questions {
		common[q.subject] = q.prompt
		count[q.subject]++
	}
	for _, s := range samples {
		have := common[s.subject]
		n := backends.CommonPrefix([]byte(have), []byte(s.prompt))
		common[s.subject] = have[:strings.LastIndexByte(have[:n], '\n')+1]
	}
	maps.DeleteFunc(common, func(subject, text string) bool { return text == "" || count[subject] == 1 })
	return common
}

// countShots counts the worked examples before a sample's own question, from the line that begins each of them.
func countShots(s sample) int {
	prompt := s.prompt
	for _, message := range conversation(gjson.Parse(prompt)) {
		prompt += "\n" + messageText(message)
	}
	return strings.Count("\n"+prompt, "\nQuestion:") - 1 // which is unknownShots where no line begins so
}
