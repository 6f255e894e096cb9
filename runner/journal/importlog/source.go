package importlog

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"proctor/backends"
	"proctor/prompts/task"
	"proctor/runner/journal"
)

// tigerName matches the names of the files that the authors publish, such as model_outputs_Meta-Llama-3-8B_5shots.zip.
var tigerName = regexp.MustCompile(`^model_outputs_(.+?)(?:_(\d+)shots?)?\.(?:zip|jsonl?)$`)

// header describes the log's source, from the files' names and the samples.
func (c *collector) header() journal.Header {
	base := filepath.Base(c.files[0])
	h := journal.Header{
		Kind: journal.KindRun, Version: journal.Version,
		Task: task.All[0].Name, RuleSet: c.format,
		Model:   backends.ModelInfo{Ref: base, Name: modelName(c.files[0])},
		Backend: backends.EngineInfo{Name: c.format + " log"},
		History: journal.History{{Created: c.written}},
		Setup:   journal.Setup{Style: c.format, Shots: countShots(c.samples[0])},
	}
	from := base
	if more := len(c.files) - 1; more > 0 {
		from += " and " + strconv.Itoa(more) + " more"
	}
	if c.samples[0].about != nil {
		h.Task, h.Backend.Name = binary.Name, formatLMEval+" log"
	}
	h.Notes = append([]string{"Imported from " + from + "."}, c.notes...)
	if m := tigerName.FindStringSubmatch(base); m != nil {
		h.Model.Name = m[1]
		if shots, err := strconv.Atoi(m[2]); err == nil {
			h.Shots = shots
		}
	}
	if first := c.samples[0]; first.prompt != "" {
		h.PromptMode = "raw"
		if first.chat {
			h.PromptMode = "chat"
		}
	}
	return h
}

// inModelFolder matches the names of files that harnesses put into a folder named for the model.
var inModelFolder = regexp.MustCompile(`^samples_.*\.jsonl$|_result\.json$|^mmlu_pro_.*\.jsonl?$`)

// subjectFile is how evalscope and OpenCompass name a subject's file; the latter may cut it into numbered parts.
var subjectFile = regexp.MustCompile(`^mmlu_pro_(.+?)(?:_\d+)?\.jsonl?$`)

// subjectOf takes the subject from a file's name; empty where it has none.
func subjectOf(file string) string {
	if m := subjectFile.FindStringSubmatch(filepath.Base(file)); m != nil {
		return strings.ReplaceAll(m[1], "_", " ")
	}
	return ""
}

// modelName takes the model's name from the harness's folder (lm-eval writes ORGANISATION__MODEL), else from the file.
func modelName(file string) string {
	base := filepath.Base(file)
	folder := filepath.Base(filepath.Dir(file))
	if !inModelFolder.MatchString(base) || folder == "." {
		return strings.TrimSuffix(base, filepath.Ext(base))
	}
	return strings.Replace(folder, "__", "/", 1)
}
