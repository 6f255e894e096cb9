package taskconfig

import (
	"fmt"
	"slices"
	"strings"
)

// model is a file, or what a server has.
func model(c *config, k key) error {
	ref, err := k.value()
	if c.served && !strings.HasPrefix(ref, "openai:") {
		ref = "openai:" + ref
	}
	c.set(k, "model", ref)
	return err
}

// server is where the model is asked.
func server(c *config, k key) error {
	address, err := k.value()
	c.set(k, "servers", strings.TrimSuffix(strings.TrimRight(address, "/"), "/chat/completions"))
	return err
}

// apiKey is nothing that a file should hold; evalscope writes stars for one.
func apiKey(c *config, k key) error {
	if k.node.Value == "EMPTY" || strings.Trim(k.node.Value, "*") == "" {
		return nil
	}
	return k.wrong("a key is read from OPENAI_API_KEY alone: take it out of the file")
}

// evalType says what has the model.
func evalType(_ *config, k key) error {
	return only("openai_api", "server", "llm_ckpt", "checkpoint")(nil, k)
}

// modelArguments are what transformers takes.
func modelArguments(c *config, k key) error {
	for _, each := range keysOf(k.path+".", k.node) {
		if !slices.Contains([]string{"revision", "precision", "device_map"}, each.name) {
			return each.wrong("it is transformers', which has no part in this")
		}
	}
	c.left(k, "they are transformers'")
	return nil
}

// batch is how many requests are in flight: at each server, or in slots.
func batch(c *config, k key) error {
	value, err := k.value()
	flag := "slots"
	if c.served {
		flag = "concurrency"
	}
	for _, earlier := range c.settings {
		if earlier.Flag == flag {
			return err // generation_config has it a second time
		}
	}
	c.set(k, flag, value)
	return err
}

// benchmark is MMLU-Pro's name.
const benchmark = "mmlu_pro"

// datasets is one set; MMLU-Pro is the task's own.
func datasets(c *config, k key) error {
	names, err := k.values()
	if err != nil {
		return err
	}
	if len(names) != 1 {
		return k.wrong(fmt.Sprintf("a run asks one set, not %s: give each a run of its own", strings.Join(names, " and ")))
	}
	c.dataset = k
	if c.dataset.node.Content != nil {
		c.dataset.node = c.dataset.node.Content[0]
	}
	if names[0] == benchmark {
		c.set(k, "tasks", benchmark)
		return nil
	}
	c.settings = append(c.settings, Setting{Line: k.line, Key: k.path, Flag: "data", Values: names, Unless: []string{"tasks"}})
	return nil
}

// datasetID is the hub's name of the set, which was imported, or a folder.
func datasetID(c *config, k key) error {
	if strings.HasSuffix(k.node.Value, "/MMLU-Pro") {
		c.left(k, "the set is the one imported with `proctor data pull`")
		return nil
	}
	return dataFrom(c, k)
}

// dataFrom is where the set lies, whatever it is called.
func dataFrom(c *config, k key) error {
	c.settings = slices.DeleteFunc(c.settings, func(s Setting) bool { return s.Flag == "data" })
	return flagged("data")(c, k)
}
