package prompts

import (
	"fmt"
	"strings"
	"text/template/parse"
)

// A template is one section of a style: text/template's language with a fixed set of fields and functions, each of a kind
// that is known, so that whatever is wrong with it is found when it is read. It is compiled, since a run renders a
// hundred thousand prompts and reflection takes twenty times as long. Nothing in it repeats but the options, once: what it
// renders is bounded.
type template []step

// A step writes a piece of the text.
type step func(b *strings.Builder, v *values)

// appendTo renders the template; nil renders nothing.
func (t template) appendTo(b *strings.Builder, v *values) {
	for _, step := range t {
		step(b, v)
	}
}

func (t template) render(v *values) string {
	var b strings.Builder
	t.appendTo(&b, v)
	return b.String()
}

// compiler reads the text of one section.
type compiler struct {
	file   string
	source string // with as many line feeds before the section as the file has
	scope  scope
	ranges bool // within range
}

const templateHelp = "`proctor help style` lists what a template can hold"

// compileTemplate compiles a section's text, which begins on the given line of a file. Errors name file and line.
func compileTemplate(file string, line int, text string, of scope) (template, error) {
	// A comment keeps the file's lines, and leaves nothing behind.
	source := "{{/*" + strings.Repeat("\n", line-1) + "*/}}" + text
	known := map[string]any{}
	for name := range functions {
		known[name] = name
	}
	trees, err := parse.Parse("template", source, "", "", known)
	if err != nil {
		where, ok := strings.CutPrefix(err.Error(), "template: template:")
		if !ok {
			where = fmt.Sprintf("%d: %s", line, where)
		}
		return nil, fmt.Errorf("%s:%s; %s", file, where, templateHelp)
	}
	c := &compiler{file: file, source: source, scope: of}
	if len(trees) > 1 {
		return nil, fmt.Errorf("%s:%d: a section defines no templates of its own: take define and block out", file, line)
	}
	return c.list(trees["template"].Root)
}

func literal(text string) step { return func(b *strings.Builder, _ *values) { b.WriteString(text) } }

// errorf is an error about a node of the file.
func (c *compiler) errorf(node parse.Node, format string, a ...any) error {
	line := 1 + strings.Count(c.source[:min(int(node.Position()), len(c.source))], "\n")
	return fmt.Errorf("%s:%d: %s", c.file, line, fmt.Sprintf(format, a...))
}

func (c *compiler) list(list *parse.ListNode) (template, error) {
	if list == nil {
		return nil, nil
	}
	var t template
	for _, node := range list.Nodes {
		step, err := c.step(node)
		if err != nil {
			return nil, err
		}
		t = append(t, step)
	}
	return t, nil
}

func (c *compiler) step(node parse.Node) (step, error) {
	switch node := node.(type) {
	case *parse.TextNode:
		return literal(string(node.Text)), nil
	case *parse.ActionNode:
		return c.action(node)
	case *parse.IfNode:
		return c.branch(node)
	case *parse.RangeNode:
		return c.loop(node)
	}
	word, _, _ := strings.Cut(strings.Trim(node.String(), "{}"), " ")
	return nil, c.errorf(node, "a style's templates have no {{%s}}; %s", word, templateHelp)
}

func (c *compiler) action(node *parse.ActionNode) (step, error) {
	value, err := c.pipe(node.Pipe)
	if err != nil {
		return nil, err
	}
	text, ok := value.printed()
	if !ok {
		return nil, c.errorf(node, "%s is %s, not a text: {{range .Options}} and join make texts of lists", node.Pipe, value.kind())
	}
	return func(b *strings.Builder, v *values) { b.WriteString(text(v)) }, nil
}

func (c *compiler) branch(node *parse.IfNode) (step, error) {
	value, err := c.pipe(node.Pipe)
	if err != nil {
		return nil, err
	}
	then, err := c.list(node.List)
	if err != nil {
		return nil, err
	}
	otherwise, err := c.list(node.ElseList)
	return func(b *strings.Builder, v *values) {
		if value.holds(v) {
			then.appendTo(b, v)
		} else {
			otherwise.appendTo(b, v)
		}
	}, err
}

func (c *compiler) loop(node *parse.RangeNode) (step, error) {
	over, err := c.pipe(node.Pipe)
	switch {
	case err != nil:
		return nil, err
	case over.kind() != theOption:
		return nil, c.errorf(node, "range goes over .Options only, %s is %s", node.Pipe, over.kind())
	case c.ranges:
		return nil, c.errorf(node, "there is a range in a range: the options are listed once")
	case node.ElseList != nil:
		return nil, c.errorf(node, "range has no else here: there is always an option")
	}
	c.ranges = true
	body, err := c.list(node.List)
	c.ranges = false
	return func(b *strings.Builder, v *values) {
		for v.option = range over.options(v) {
			body.appendTo(b, v)
		}
	}, err
}

// pipe compiles a pipeline, each of whose commands is the last argument of the next.
func (c *compiler) pipe(pipe *parse.PipeNode) (expr, error) {
	if len(pipe.Decl) > 0 {
		return expr{}, c.errorf(pipe, "a style's templates have no variables but $; within range there are .Letter, .Text and .Number")
	}
	var value expr
	for i, command := range pipe.Cmds {
		var args []expr
		for _, arg := range command.Args[1:] {
			value, err := c.operand(arg)
			if err != nil {
				return expr{}, err
			}
			args = append(args, value)
		}
		if i > 0 {
			args = append(args, value)
		}
		var err error
		if value, err = c.call(command.Args[0], args); err != nil {
			return expr{}, err
		}
	}
	return value, nil
}

// call compiles a command: a function with its arguments, or a lone operand.
func (c *compiler) call(word parse.Node, args []expr) (expr, error) {
	name, ok := word.(*parse.IdentifierNode)
	switch {
	case !ok && len(args) > 0:
		return expr{}, c.errorf(word, "%s is no function, so nothing can be given to it; %s", word, templateHelp)
	case !ok:
		return c.operand(word)
	}
	f := functions[name.Ident]
	if len(args) != len(f.args) {
		return expr{}, c.errorf(word, "%s takes %d values, not %d: %s", name.Ident, len(f.args), len(args), f.usage)
	}
	for i, want := range f.args {
		if got := args[i].kind(); want != anything && got != want {
			return expr{}, c.errorf(word, "%s takes %s as value %d, not %s: %s", name.Ident, want, i+1, got, f.usage)
		}
	}
	return f.call(args), nil
}

func (c *compiler) operand(node parse.Node) (expr, error) {
	switch node := node.(type) {
	case *parse.FieldNode:
		if c.ranges {
			return c.field(node, optionFields, node.Ident)
		}
		return c.field(node, fields, node.Ident)
	case *parse.VariableNode:
		return c.field(node, fields, node.Ident[1:])
	case *parse.StringNode:
		return text(func(*values) string { return node.Text }), nil
	case *parse.PipeNode:
		return c.pipe(node)
	case *parse.IdentifierNode:
		return c.call(node, nil)
	}
	return expr{}, c.errorf(node, "%s is neither a field nor a text in quotes; %s", node, templateHelp)
}

// field finds what a path such as .Subject or $.Subject names in a table.
func (c *compiler) field(node parse.Node, table map[string]field, path []string) (expr, error) {
	if len(path) != 1 {
		return expr{}, c.errorf(node, "%s names no field; %s", node, templateHelp)
	}
	found, ok := table[path[0]]
	if ok && found.scope <= c.scope {
		return found.expr, nil
	}
	var there []string
	for _, name := range names(table) {
		if table[name].scope <= c.scope {
			there = append(there, "."+name)
		}
	}
	return expr{}, c.errorf(node, "there is no field .%s here; there are %s", path[0], strings.Join(there, ", "))
}
