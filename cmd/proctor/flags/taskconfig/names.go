package taskconfig

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// An action is what a key has done.
type action func(c *config, k key) error

// top are the names of a TaskConfig.
var top = map[string]action{
	"model": model, "model_id": flagged("display-name"), "eval_type": evalType, "api_url": server, "api_key": apiKey,
	"datasets": datasets, "few_shot_num": flagged("shots"), "limit": limit, "repeats": flagged("repeats"), "seed": seed,
	"eval_batch_size": batch, "work_dir": flagged("out"), "timeout": seconds, "debug": whereTrue("verbose"),

	"dataset_args": func(c *config, k key) error {
		for _, set := range keysOf(k.path+".", k.node) {
			c.args[set.name] = append(c.args[set.name], keysOf(set.path+".", set.node)...)
		}
		return nil
	},
	"generation_config": func(c *config, k key) error {
		if k.node.Content == nil {
			return k.wrong("a mapping of names to values is wanted, as in {temperature: 0}")
		}
		for _, g := range keysOf(k.path+".", k.node) {
			act, known := ofGeneration[g.name]
			if !known {
				return g.wrong("there is no such setting here: there are " + list(ofGeneration))
			}
			if err := c.take(g, act); err != nil {
				return err
			}
		}
		return nil
	},

	"dataset_hub": leave("sets are those imported with `proctor data`"), "dataset_dir": leave("sets are those imported with `proctor data`"),
	"no_timestamp": leave("a folder that is given gets no time"), "enable_progress_tracker": leave("--progress shows it"),
	"ignore_errors": leave("items that fail are kept as failures"), "collect_perf": leave("it is always measured"),
	"stream": leave("the protocol is proctor's"), "model_args": modelArguments, "rerun_review": leave("proctor report marks again"),
	"evaluation_identity": leave("written by evalscope"), "resolved_benchmarks": leave("written by evalscope"),

	"model_task": only("text_generation"), "eval_backend": only("Native"), "judge_strategy": only("rule", "auto"),
	"analysis_report": only("false"), "use_sandbox": only("false"), "sandbox_type": leave("no code is run"),
	"sandbox_manager_config": leave("no code is run"), "sandbox": switchedOff("enabled"), "judge": switchedOff("models"),
	"judge_model_args": refuse("no model judges answers: `proctor rules` lists what finds them"), "agent_config": refuse("there are no agents"),
	"eval_config": refuse("it is another backend's"), "chat_template": refuse("give it in a file: --chat-template @FILE"),
	"use_cache": refuse("a run goes on with proctor run --resume RUN; evalscope's own results are read with proctor import"),
}

// ofDataset are the arguments of a set.
var ofDataset = map[string]action{
	"few_shot_num": flagged("shots"), "subset_list": joined("subjects"), "local_path": dataFrom, "dataset_id": datasetID,
	"system_prompt": flagged("system"), "shuffle_choices": whereTrue("shuffle-options", "0"), "shuffle": only("false"),
	"few_shot_random": whereTrue("shots-from", "random"),
	"metric_list":     leave("reports have every figure"), "aggregation": leave("reports have every figure"),
	"eval_split": only("test"), "train_split": only("validation"), "force_redownload": only("false"),
	"prompt_template":          refuse("write a style of your own: proctor style export evalscope, then --style FILE"),
	"query_template":           refuse("write a style of your own: proctor style export evalscope, then --style FILE"),
	"few_shot_prompt_template": refuse("write a style of your own: proctor style export evalscope, then --style FILE"),
	"filters":                  leave("thinking is left out of what is marked"),
}

// ofGeneration are settings of generation.
var ofGeneration = map[string]action{
	"max_tokens": flagged("max-tokens"), "temperature": drawn("temperature"), "top_p": drawn("top-p"), "top_k": drawn("top-k"), "min_p": drawn("min-p"),
	"seed": seed, "stop_seqs": several("stop"), "frequency_penalty": flagged("frequency-penalty"),
	"presence_penalty": flagged("presence-penalty"), "repetition_penalty": flagged("repeat-penalty"), "n": flagged("repeats"),
	"reasoning_effort": flagged("reasoning-effort"), "timeout": seconds, "batch_size": batch,
	"do_sample": func(c *config, k key) error { return only("true", "false")(c, k) },
	"extra_body": func(c *config, k key) error {
		text, err := k.json()
		c.set(k, "extra-body", text)
		return err
	},
	"stream": leave("the protocol is proctor's"), "retries": leave("--timeout bounds them"), "retry_interval": leave("--timeout bounds it"),
	"logprobs": only("false"), "parallel_tool_calls": leave("no tool is offered"),
}

// flagged has a key's value be a flag's.
func flagged(flag string) action {
	return func(c *config, k key) error {
		value, err := k.value()
		c.set(k, flag, value)
		return err
	}
}

// joined is flagged for a list with commas between.
func joined(flag string) action {
	return func(c *config, k key) error {
		values, err := k.values()
		c.set(k, flag, strings.Join(values, ","))
		return err
	}
}

// several is flagged for a flag that can be given several times.
func several(flag string) action {
	return func(c *config, k key) error {
		values, err := k.values()
		c.set(k, flag, values...)
		return err
	}
}

// drawn is flagged for what says how tokens are drawn.
func drawn(flag string) action {
	return func(c *config, k key) error {
		value, err := k.value()
		switch {
		case err != nil:
			return err
		case c.greedy && flag == "temperature":
			c.set(k, flag, "0")
		case c.greedy:
			c.left(k, "the likeliest token is taken")
		case flag == "top-k" && value == "-1":
			c.left(k, "all tokens are drawn from")
		default:
			c.set(k, flag, value)
		}
		return nil
	}
}

// whereTrue sets a flag where the key is true.
func whereTrue(flag string, values ...string) action {
	return func(c *config, k key) error {
		switch k.node.Value {
		case "true":
			c.set(k, flag, append(values, "true")[0])
		case "false":
		default:
			return k.wrong("true or false is wanted")
		}
		return nil
	}
}

// leave leaves a key out.
func leave(why string) action {
	return func(c *config, k key) error {
		c.left(k, why)
		return nil
	}
}

// only takes values that change nothing here.
func only(values ...string) action {
	return func(_ *config, k key) error {
		if !slices.Contains(values, k.node.Value) {
			return k.wrong(fmt.Sprintf("there is %s alone here, not %q", strings.Join(values, " or "), k.node.Value))
		}
		return nil
	}
}

// refuse refuses a key.
func refuse(why string) action { return func(_ *config, k key) error { return k.wrong(why) } }

// switchedOff takes a mapping whose switch is off: false, or empty.
func switchedOff(name string) action {
	return func(_ *config, k key) error {
		for _, each := range keysOf(k.path+".", k.node) {
			if each.name == name && !each.empty() && each.node.Value != "false" {
				return each.wrong("there is no such thing here")
			}
		}
		return nil
	}
}

// limit takes the first questions of each subject.
func limit(c *config, k key) error {
	text, err := k.value()
	if err != nil {
		return err
	}
	if number, err := strconv.ParseFloat(text, 64); err == nil && number >= 1 && number == float64(int(number)) {
		text = strconv.Itoa(int(number)) + "/subject"
	}
	c.settings = append(c.settings,
		Setting{Line: k.line, Key: k.path, Flag: "limit", Values: []string{text}, Unless: []string{"first"}},
		Setting{Line: k.line, Key: k.path, Flag: "first", Values: []string{"true"}, Unless: []string{"limit"}})
	return nil
}

// seed is one here, of questions and of tokens.
func seed(c *config, k key) error {
	value, err := k.value()
	for _, earlier := range c.settings {
		if earlier.Flag == "seed" && earlier.Values[0] != value {
			return k.wrong(fmt.Sprintf("%s is another, %s, and there is one seed here", earlier.Key, earlier.Values[0]))
		}
	}
	c.set(k, "seed", value)
	return err
}

// seconds are a time.
func seconds(c *config, k key) error {
	value, err := k.value()
	c.set(k, "timeout", value+"s")
	return err
}
