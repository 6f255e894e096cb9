package importlog

import (
	"encoding/json"
	"errors"
	"maps"
	"strings"

	"proctor/backends"
)

// unknownShots stands in a header for a number of shots that the log does not say.
const unknownShots = -1

// generation is what lm-eval passes on with a prompt, as far as a journal has a place for it.
type generation struct {
	Until       []string `json:"until"`
	MaxGenToks  int      `json:"max_gen_toks"`
	Temperature float64  `json:"temperature"`
	TopP        float64  `json:"top_p"`
	DoSample    bool     `json:"do_sample"`
}

// ask reads the arguments of an lm-eval sample: {"gen_args_0": {"arg_0": prompt, "arg_1": settings}}, or
// [[prompt, settings]] in older logs. A chat prompt is a list of messages, or its JSON as a text.
func (s *sample) ask(arguments json.RawMessage) error {
	prompt, settings, err := firstCall(arguments)
	if err != nil || prompt == nil {
		return err
	}
	s.prompt = string(prompt)
	if json.Unmarshal(prompt, &s.prompt) != nil { // not a text but messages, sometimes in a list of one text
		var one []string
		if json.Unmarshal(prompt, &one) == nil && len(one) == 1 {
			s.prompt = one[0]
		}
	}
	s.chat = strings.HasPrefix(s.prompt, "[{")
	if settings == nil {
		return nil
	}
	var g generation
	if err := json.Unmarshal(settings, &g); err != nil {
		return errors.New("arguments: the settings are not what lm-eval writes for generated answers")
	}
	s.sampling.Stop, s.sampling.MaxTokens = g.Until, g.MaxGenToks
	if g.DoSample {
		s.sampling.Temperature, s.sampling.TopP = g.Temperature, g.TopP
	}
	return nil
}

func firstCall(arguments json.RawMessage) (prompt, settings json.RawMessage, err error) {
	if arguments == nil {
		return nil, nil, nil
	}
	var named map[string]map[string]json.RawMessage
	if json.Unmarshal(arguments, &named) == nil {
		first := named["gen_args_0"]
		return first["arg_0"], first["arg_1"], nil
	}
	var listed [][]json.RawMessage
	if json.Unmarshal(arguments, &listed) != nil || len(listed) == 0 || len(listed[0]) == 0 {
		return nil, nil, errors.New("arguments are not what lm-eval writes")
	}
	if len(listed[0]) > 1 {
		settings = listed[0][1]
	}
	return listed[0][0], settings, nil
}

// preambles finds, for each subject with several samples, what all its prompts begin with, up to the end of a line.
func preambles(samples []sample) map[string]string {
	common, seen := map[string]string{}, map[string]int{}
	for _, s := range samples {
		if seen[s.subject]++; seen[s.subject] == 1 {
			common[s.subject] = s.prompt
			continue
		}
		have := common[s.subject]
		n := backends.CommonPrefix([]byte(have), []byte(s.prompt))
		common[s.subject] = have[:strings.LastIndexByte(have[:n], '\n')+1]
	}
	maps.DeleteFunc(common, func(subject, text string) bool { return text == "" || seen[subject] == 1 })
	return common
}

// countShots counts the worked examples before a sample's own question, from the line that begins each of them.
func countShots(s sample) int {
	const begins = "\nQuestion:"
	if n := strings.Count("\n"+s.prompt, begins); n > 0 && !s.chat {
		return n - 1
	}
	return unknownShots
}
