package taskconfig

import (
	"fmt"
	"slices"
	"strings"
)

// model is a file, or what a server has.
func model(c *config, k key, _ string) error {
	ref, err := k.value()
	if c.served && !strings.HasPrefix(ref, "openai:") {
		ref = "openai:" + ref
	}
	c.set(k, "model", ref)
	return err
}

// server is where the model is asked.
func server(c *config, k key, _ string) error {
	address, err := k.value()
	c.set(k, "servers", strings.TrimSuffix(strings.TrimRight(address, "/"), "/chat/completions"))
	return err
}

// apiKey is nothing that a file should hold; evalscope writes stars for one.
func apiKey(_ *config, k key, _ string) error {
	if k.node.Value == "EMPTY" || strings.Trim(k.node.Value, "*") == "" {
		return nil
	}
	return k.wrong("a key is read from OPENAI_API_KEY alone: take it out of the file")
}

// modelArguments are what transformers takes.
func modelArguments(c *config, k key, _ string) error {
	for _, each := range k.below() {
		if !slices.Contains([]string{"revision", "precision", "device_map"}, each.name) {
			return each.wrong("it is transformers', which has no part in this")
		}
	}
	return leave(c, k, "they are transformers'")
}

// batch is how many requests are in flight: at each server, or in slots. generation_config has it a second time.
func batch(c *config, k key, _ string) error {
	flag := "slots"
	if c.served {
		flag = "concurrency"
	}
	if c.of(flag) != nil {
		return nil
	}
	return flagged(c, k, flag)
}

// benchmark is MMLU-Pro's name.
const benchmark = "mmlu_pro"

// datasets is one set; MMLU-Pro is the task's own.
func datasets(c *config, k key, _ string) error {
	names, err := k.values()
	if err != nil {
		return err
	}
	if len(names) != 1 {
		return k.wrong(fmt.Sprintf("a run asks one set, not %s: give each a run of its own", strings.Join(names, " and ")))
	}
	if c.dataset = names[0]; c.dataset == benchmark {
		c.set(k, "tasks", benchmark)
		return nil
	}
	c.settings = append(c.settings, Setting{Line: k.line, Key: k.path, Flag: "data", Values: names, Unless: []string{"tasks"}})
	return nil
}

// datasetID is the hub's name of the set, which was imported, or a folder.
func datasetID(c *config, k key, _ string) error {
	if strings.HasSuffix(k.node.Value, "/MMLU-Pro") {
		return leave(c, k, "the set is the one imported with `proctor data pull`")
	}
	return dataFrom(c, k, "")
}

// dataFrom is where the set lies, whatever it is called.
func dataFrom(c *config, k key, _ string) error {
	c.settings = slices.DeleteFunc(c.settings, func(s Setting) bool { return s.Flag == "data" })
	return flagged(c, k, "data")
}
