package taskconfig

import (
	"errors"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

func settingsOf(t *testing.T, text string) (*yaml.Node, string, error) {
	t.Helper()
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	settings, err := Read(document.Content[0], []string{"max-tokens", "style"})
	var all []string
	for _, s := range settings {
		if all = append(all, s.Key+"="+s.Flag+" "+strings.Join(s.Values, "|")); s.Left != "" {
			all[len(all)-1] = s.Key + " left"
		}
	}
	return document.Content[0], strings.Join(all, "; "), err
}

// asked is what each file comes to beside its own names.
const asked = "; prompts=style evalscope; prompts=prompt auto"

func TestNamesOfEvalscopeAreFlags(t *testing.T) {
	for name, c := range map[string]struct{ file, want string }{
		"a server's model": {"{model: q, api_url: 'http://h:1/v1/chat/completions', api_key: EMPTY, datasets: mmlu_pro, eval_batch_size: 8}",
			"model=model openai:q; api_url=servers http://h:1/v1; datasets=tasks mmlu_pro; eval_batch_size=concurrency 8" + asked},
		"a file": {"{model: m.gguf, eval_type: llm_ckpt, datasets: [mmlu_pro], eval_batch_size: 8, model_args: {revision: master}}",
			"model=model m.gguf; datasets=tasks mmlu_pro; eval_batch_size=slots 8; model_args left" + asked},
		"a limit of each subject": {"{datasets: [mmlu_pro], limit: 10}", "datasets=tasks mmlu_pro; limit=limit 10/subject; limit=first true" + asked},
		"a limit with a point":    {"{datasets: [mmlu_pro], limit: 10.0}", "datasets=tasks mmlu_pro; limit=limit 10/subject; limit=first true" + asked},
		"a share":                 {"{datasets: [mmlu_pro], limit: 0.1}", "datasets=tasks mmlu_pro; limit=limit 0.1; limit=first true" + asked},
		"arguments of the set": {"{dataset_args: {mmlu_pro: {few_shot_num: 0, few_shot_random: true, subset_list: [math, law], " +
			"local_path: d, system_prompt: S}}, datasets: [mmlu_pro]}",
			"datasets=tasks mmlu_pro; dataset_args.mmlu_pro.few_shot_num=shots 0; dataset_args.mmlu_pro.few_shot_random=shots-from random; " +
				"dataset_args.mmlu_pro.subset_list=subjects math,law; dataset_args.mmlu_pro.local_path=data d; " +
				"dataset_args.mmlu_pro.system_prompt=system S" + asked},
		"another set": {"{datasets: [exam], dataset_args: {exam: {local_path: exam.csv}}}", "dataset_args.exam.local_path=data exam.csv" + asked},
		"generation": {"{generation_config: {temperature: 0.7, top_p: 0.9, top_k: -1, max_tokens: 9, seed: 3, stop_seqs: [a, b], n: 2, " +
			"extra_body: {x: {y: 1}}}, seed: 3}",
			"generation_config.temperature=temperature 0.7; generation_config.top_p=top-p 0.9; generation_config.top_k left; " +
				"generation_config.max_tokens=max-tokens 9; generation_config.seed=seed 3; generation_config.stop_seqs=stop a|b; " +
				`generation_config.n=repeats 2; generation_config.extra_body=extra-body {"x":{"y":1}}; seed=seed 3` + asked},
		"greedy": {"{generation_config: {do_sample: false, temperature: 1.0, top_p: 1.0, top_k: 50}}",
			"generation_config.temperature=temperature 0; generation_config.top_p left; generation_config.top_k left" + asked},
		"flags of ours beside them": {"{datasets: [mmlu_pro], max-tokens: 5, style: tiger}",
			"datasets=tasks mmlu_pro; max-tokens=max-tokens 5; style=style tiger; prompts=prompt auto"},
		"what evalscope writes of what is not given": {"{model: m, datasets: [mmlu_pro], chat_template: null, use_cache: null, " +
			"judge: {strategy: auto, models: []}, sandbox: {enabled: false, engine: docker}, use_sandbox: false, agent_config: null, " +
			"api_key: '**********', timeout: null, model_task: text_generation, " +
			"dataset_args: {}, eval_config: null, analysis_report: false}", "model=model m; datasets=tasks mmlu_pro" + asked},
	} {
		document, got, err := settingsOf(t, c.file)
		if got != c.want || err != nil {
			t.Errorf("%s: %s, %v\nwant %s", name, got, err, c.want)
		}
		if !Is(document) {
			t.Errorf("%s: it is not known for evalscope's", name)
		}
	}
}

func TestWhatEvalscopeAloneHasIsRefusedByName(t *testing.T) {
	for file, want := range map[string]string{
		"datasets: [mmlu_pro]\nmodell: q":                                       "2 modell: there is no such name: it has agent_config, ",
		"datasets: [mmlu_pro, gpqa]":                                            "1 datasets: a run asks one set, not mmlu_pro and gpqa",
		"datasets: [mmlu_pro]\ngeneration_config:\n  temprature: 1":             "3 generation_config.temprature: there is no such setting here: there ",
		"datasets: [mmlu_pro]\ndataset_args:\n  mmlu_pro: {prompt_template: x}": "3 dataset_args.mmlu_pro.prompt_template: write a style",
		"datasets: [mmlu_pro]\ndataset_args:\n  mmlu_pro: {few_shots: 1}":       "3 dataset_args.mmlu_pro.few_shots: there is no such argument here",
		"datasets: [mmlu_pro]\ndataset_args:\n  gpqa: {few_shot_num: 1}":        `3 dataset_args.gpqa.few_shot_num: datasets has "mmlu_pro" alone`,
		"datasets: [mmlu_pro]\napi_key: sk-1":                                   "2 api_key: a key is read from OPENAI_API_KEY alone",
		"datasets: [mmlu_pro]\njudge: {models: [{model_id: x}]}":                "2 judge.models: there is no such thing here",
		"datasets: [mmlu_pro]\neval_type: anthropic_api": "2 eval_type: there is openai_api or server or llm_ckpt or checkpoint " +
			`alone here, not "anthropic_api"`,
		"datasets: [mmlu_pro]\nseed: 1\ngeneration_config: {seed: 2}":                 "3 generation_config.seed: seed is another, 1, and there is one",
		"datasets: [mmlu_pro]\nuse_cache: outputs/1":                                  "2 use_cache: a run goes on with proctor run --resume RUN",
		"datasets: [mmlu_pro]\ndataset_args:\n  mmlu_pro: {shuffle_choices: perhaps}": "3 dataset_args.mmlu_pro.shuffle_choices: true or false is wanted",
		"datasets: {a: b}": "1 datasets: a value or a list of them is wanted",
		"datasets: [mmlu_pro]\ngeneration_config: max_tokens=4": "2 generation_config: a mapping of names to values is wanted",
	} {
		_, _, err := settingsOf(t, file)
		wrong := (*Error)(nil)
		if !errors.As(err, &wrong) {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if got := string(rune('0'+wrong.Line)) + " " + wrong.Key + ": " + wrong.Why; !strings.HasPrefix(got, want) {
			t.Errorf("%q: %s\nwant %s", file, got, want)
		}
	}
}

func TestAFileOfOurOwnIsNotTakenForEvalscopes(t *testing.T) {
	for _, file := range []string{"{model: m, limit: 10, seed: 1, repeats: 2}", "{limit: 10, max-tokens: 4}", "[a]"} {
		var document yaml.Node
		if err := yaml.Unmarshal([]byte(file), &document); err != nil {
			t.Fatal(err)
		}
		if Is(document.Content[0]) {
			t.Errorf("%s is taken for one", file)
		}
	}
}
