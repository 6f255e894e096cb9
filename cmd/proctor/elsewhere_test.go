package main

import (
	"os"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
	"gotest.tools/v3/assert"

	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
)

// instead lists flags of lm-eval 0.4.13, evalscope 1.14.1, OpenCompass 0.5.4 and llama-server, and keys of evalscope's files, with the text
// that each remedy must contain.
const instead = `
--num_fewshot --num-fewshot -f few_shot_num: --shots
--apply_chat_template --jinja: --prompt chat
--fewshot_as_multiturn: --prompt turns
--system_instruction -sys system_prompt: --system
--chat-template-kwargs: --template-arg
--chat-template-file: --chat-template @FILE
--reasoning -rea: --think MODE
--reasoning-budget: --think-budget
--gen_kwargs --generation-config generation_config --generation-kwargs: --temperature
--temp: --temperature
--repetition-penalty: --sampling
--stop-words --reverse-prompt --stop-token-ids: --stop
--max_gen_toks --max-out-len -n --n-predict: --max-tokens
--model_args model_args --models --hf-path -hf -M: --model
--base_url --api-url api_url --url: --servers
--api-key api_key: OPENAI_API_KEY
--datasets datasets: --data FILE
--datasets --dataset: --tasks
--datasets --dataset-args dataset_args: --limit 10/subject --first
subset_list dataset_args: --subjects
--custom-dataset-path --dataset-dir --include_path: --data
--custom-dataset-meta-path: --map
--samples -E: --ids
-L: --limit
--n-choices --dataset-num-runs: --repeats
--batch_size --batch-size -b -ub --eval-batch-size eval_batch_size --parallel -np --max-num-workers: --slots
--num_concurrent --batch_size --eval-batch-size --parallel: --concurrency
--max-seq-len --max_length -c --ctx-size: --ctx
-ngl --n-gpu-layers --num-gpus -ncmoe -fit: --gpu-layers
-t -tb --threads-batch: --threads
-ctk -ctv --cache-type-k --cache-type-v: --kv-type
-fa --flash-attn: --kernels ggml
-ts -sm -mg --main-gpu: --device
--lora-scaled --peft-path: --lora
-s: --seed
--output_path --work-dir work_dir --outputs-dir --alias: --out
--use_cache use_cache --reuse: --resume
--slurm --dlc --partition: --shard auto
--log_samples --dump-eval-details: --items
--predict_only --rerun-review: --rules
--write_out: render --question
--judge judge judge_strategy judge_worker_num --judge-model-args: proctor rules
--collect-perf: --full
--show_config: --print-config
--wandb_args --hf_hub_log_args: report RUN --items
--debug --verbosity -v: the journal
prompt_template few_shot_prompt_template: --style evalscope
--custom-dataset-infer-method: --direct
--logprobs: --keep-logprobs
--extra-args: --extra-body
--total-timeout: --timeout
--list-devices: doctor
`

func TestFlagsOfOtherHarnessesHaveTheirRemedy(t *testing.T) {
	run := find(commandLine(&console.Program{}).Commands, []string{"run"})
	for row := range strings.SplitSeq(strings.TrimSpace(instead), "\n") {
		names, want, _ := strings.Cut(row, ": ")
		for name := range strings.FieldsSeq(names) {
			err := flags.Instead(run, name)
			assert.Check(t, err != nil && strings.Contains(err.Error(), want), "%s: %v, want %s", name, err, want)
		}
	}
}

// TestRemediesNameWhatThereIs checks that the flags and commands in remedies exist. A flag outside a command is a flag of run; run itself
// must lack what has a remedy.
func TestRemediesNameWhatThereIs(t *testing.T) {
	commands := commandLine(&console.Program{}).Commands
	run := find(commands, []string{"run"})
	for _, table := range []string{"gone", "elsewhere"} {
		text, err := os.ReadFile("flags/" + table + ".txt")
		assert.NilError(t, err)
		for i, row := range strings.Split(strings.ReplaceAll(string(text), "\n   ", " "), "\n") {
			names, do, has := strings.Cut(row, ": ")
			if !has {
				continue
			}
			checkCommand(t, i+1, "`proctor run "+quoted.ReplaceAllString(do, "")+"`", commands)
			if quoted.MatchString(do) {
				checkCommand(t, i+1, do, commands)
			}
			of := []*cli.Command{run}
			if paths, _, isFlag := strings.Cut(names, " --"); table == "gone" {
				of = nil
				for path := range strings.SplitSeq(paths, ",") {
					command := find(commands, strings.Fields(path))
					assert.Check(t, (command != nil) == isFlag, "%s: %s", table, path)
					of = append(of, command)
				}
			}
			for name := range strings.FieldsSeq(names) {
				for _, command := range of {
					isFlag := strings.HasPrefix(name, "-")
					assert.Check(t, !isFlag || flags.Instead(command, name) != nil, "%s: %s is taken, or its remedy is missing", table, name)
				}
			}
		}
	}
}
