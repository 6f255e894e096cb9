package taskconfig

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"
)

// A name is what is done with a key that is called so, and of what: a flag, values, or a reason.
type name struct{ does, of string }

// namesText says what a name comes to: those of a TaskConfig, and by its markers those within two of them.
//
//go:embed names.txt
var namesText []byte

var top, ofDataset, ofGeneration = func() (top, ofDataset, ofGeneration map[string]name) {
	archive := txtar.Parse(namesText)
	return named(archive.Comment), named(archive.Files[0].Data), named(archive.Files[1].Data)
}()

func named(lines []byte) map[string]name {
	all := map[string]name{}
	for line := range strings.Lines(string(lines)) {
		if words := strings.Fields(line); words[0] != "#" {
			all[words[0]] = name{words[1], strings.Join(words[2:], " ")}
		}
	}
	return all
}

// actions are what can be done with a key.
var actions map[string]func(c *config, k key, of string) error

func init() { // some look into the keys below
	actions = map[string]func(c *config, k key, of string) error{
		"flag": flagged, "list": joined, "each": several, "drawn": drawn, "true": whereTrue, "left": leave, "only": only, "refused": refuse,
		"off": switchedOff, "body": body, "model": model, "server": server, "apiKey": apiKey, "datasets": datasets, "limit": limit, "seed": seed,
		"batch": batch, "seconds": seconds, "datasetArguments": datasetArguments, "generation": generation,
		"modelArguments": modelArguments, "dataFrom": dataFrom, "datasetID": datasetID,
	}
}

// flagged has a key's value be a flag's.
func flagged(c *config, k key, flag string) error {
	value, err := k.value()
	c.set(k, flag, value)
	return err
}

func joined(c *config, k key, flag string) error {
	values, err := k.values()
	c.set(k, flag, strings.Join(values, ","))
	return err
}

func several(c *config, k key, flag string) error {
	values, err := k.values()
	c.set(k, flag, values...)
	return err
}

// body is what stands there, as JSON.
func body(c *config, k key, flag string) error {
	var content any
	if err := k.node.Decode(&content); err != nil {
		return k.wrong(err.Error())
	}
	text, err := json.Marshal(content)
	if err != nil {
		return k.wrong(err.Error())
	}
	c.set(k, flag, string(text))
	return nil
}

// drawn is flagged for what says how tokens are drawn.
func drawn(c *config, k key, flag string) error {
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

// whereTrue sets a flag where the key is true.
func whereTrue(c *config, k key, of string) error {
	flag, value, _ := strings.Cut(of+" true", " ")
	value, _, _ = strings.Cut(value, " ")
	switch k.node.Value {
	case "true":
		c.set(k, flag, value)
	case "false":
	default:
		return k.wrong("true or false is wanted")
	}
	return nil
}

func leave(c *config, k key, why string) error {
	c.left(k, why)
	return nil
}

func refuse(_ *config, k key, why string) error { return k.wrong(why) }

// only takes values that change nothing here.
func only(_ *config, k key, values string) error {
	if all := strings.Split(values, "|"); !slices.Contains(all, k.node.Value) {
		return k.wrong(fmt.Sprintf("there is %s alone here, not %q", strings.Join(all, " or "), k.node.Value))
	}
	return nil
}

// switchedOff takes a mapping whose switch is off: false, or empty.
func switchedOff(_ *config, k key, of string) error {
	for _, each := range k.below() {
		if each.name == of && !each.empty() && each.node.Value != "false" {
			return each.wrong("there is no such thing here")
		}
	}
	return nil
}

// datasetArguments keeps the arguments of sets, by their names; [config.arguments] reads those of the one.
func datasetArguments(c *config, k key, _ string) error {
	for _, set := range k.below() {
		c.args[set.name] = append(c.args[set.name], set.below()...)
	}
	return nil
}

func generation(c *config, k key, _ string) error {
	if k.node.Content == nil {
		return k.wrong("a mapping of names to values is wanted, as in {temperature: 0}")
	}
	return c.takeAll(k.below(), ofGeneration, "there is no such setting here: there are ")
}

// limit takes the first questions of each subject.
func limit(c *config, k key, _ string) error {
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
func seed(c *config, k key, _ string) error {
	value, err := k.value()
	if earlier := c.of("seed"); earlier != nil && earlier.Values[0] != value {
		return k.wrong(fmt.Sprintf("%s is another, %s, and there is one seed here", earlier.Key, earlier.Values[0]))
	}
	c.set(k, "seed", value)
	return err
}

func seconds(c *config, k key, _ string) error {
	value, err := k.value()
	c.set(k, "timeout", value+"s")
	return err
}
