package prompts

import (
	"cmp"
	"fmt"
	"strings"
	"text/template"
	"text/template/parse"
)

// render writes a section of a style down: text/template's language with a fixed set of fields and functions, each of a kind that is
// known, so that whatever is wrong with it is found when it is read. Nothing in it repeats but the options, once: what it renders is
// bounded. nil renders nothing.
func render(section *template.Template, v *values) string {
	if section == nil {
		return ""
	}
	var b strings.Builder
	b.Grow(256 + len(v.question.Text)) // about a prompt's size
	if err := section.Execute(&b, v); err != nil {
		panic(err) // all that could fail is checked
	}
	return b.String()
}

// checker reads the text of one section.
type checker struct {
	file   string
	source string // with as many line feeds before the section as the file has
	scope  scope
	ranges bool // within range
}

const templateHelp = "`proctor help style` lists what a template can hold"

// compileTemplate compiles a section's text, which begins on the given line of a file. Errors name file and line.
func compileTemplate(file string, line int, text string, of scope) (*template.Template, error) {
	// A comment keeps the file's lines, and leaves nothing behind.
	source := "{{/*" + strings.Repeat("\n", line-1) + "*/}}" + text
	trees, err := parse.Parse("template", source, "", "", calls)
	if err != nil {
		where, ok := strings.CutPrefix(err.Error(), "template: template:")
		if !ok {
			where = fmt.Sprintf("%d: %s", line, where)
		}
		return nil, fmt.Errorf("%s:%s; %s", file, where, templateHelp)
	}
	c := &checker{file: file, source: source, scope: of}
	if len(trees) > 1 {
		return nil, fmt.Errorf("%s:%d: a section defines no templates of its own: take define and block out", file, line)
	}
	if err := c.list(trees["template"].Root); err != nil {
		return nil, err
	}
	return template.New("template").Funcs(calls).AddParseTree("template", trees["template"])
}

// errorf is an error about a node of the file.
func (c *checker) errorf(node parse.Node, format string, a ...any) error {
	line := 1 + strings.Count(c.source[:min(int(node.Position()), len(c.source))], "\n")
	return fmt.Errorf("%s:%d: %s", c.file, line, fmt.Sprintf(format, a...))
}

func (c *checker) list(list *parse.ListNode) error {
	if list == nil {
		return nil
	}
	for _, node := range list.Nodes {
		if err := c.node(node); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) node(node parse.Node) error {
	switch node := node.(type) {
	case *parse.TextNode:
		return nil
	case *parse.ActionNode:
		is, err := c.pipe(node.Pipe)
		if err == nil && is != aText && is != aNumber {
			return c.errorf(node, "%s is %s, not a text: {{range .Options}} and join make texts of lists", node.Pipe, is)
		}
		return err
	case *parse.IfNode:
		_, err := c.pipe(node.Pipe)
		return cmp.Or(err, c.list(node.List), c.list(node.ElseList))
	case *parse.RangeNode:
		return c.loop(node)
	}
	word, _, _ := strings.Cut(strings.Trim(node.String(), "{}"), " ")
	return c.errorf(node, "a style's templates have no {{%s}}; %s", word, templateHelp)
}

func (c *checker) loop(node *parse.RangeNode) error {
	over, err := c.pipe(node.Pipe)
	switch {
	case err != nil:
		return err
	case over != theOptions:
		return c.errorf(node, "range goes over .Options only, %s is %s", node.Pipe, over)
	case c.ranges:
		return c.errorf(node, "there is a range in a range: the options are listed once")
	case node.ElseList != nil:
		return c.errorf(node, "range has no else here: there is always an option")
	}
	c.ranges = true
	defer func() { c.ranges = false }()
	return c.list(node.List)
}

// pipe returns the kind of a pipeline's result. Each command's result is the last argument of the next.
func (c *checker) pipe(pipe *parse.PipeNode) (kind, error) {
	if len(pipe.Decl) > 0 {
		return "", c.errorf(pipe, "a style's templates have no variables but $; within range there are .Letter, .Text and .Number")
	}
	var value kind
	for i, command := range pipe.Cmds {
		var args []kind
		for _, arg := range command.Args[1:] {
			value, err := c.operand(arg)
			if err != nil {
				return "", err
			}
			args = append(args, value)
		}
		if i > 0 {
			args = append(args, value)
		}
		var err error
		if value, err = c.call(command.Args[0], args); err != nil {
			return "", err
		}
	}
	return value, nil
}

// call returns the kind of a command's result: of a function with its arguments, or a lone operand.
func (c *checker) call(word parse.Node, args []kind) (kind, error) {
	name, ok := word.(*parse.IdentifierNode)
	switch {
	case !ok && len(args) > 0:
		return "", c.errorf(word, "%s is not a function, so nothing can be given to it; %s", word, templateHelp)
	case !ok:
		return c.operand(word)
	}
	f := functions[name.Ident]
	if len(args) != len(f.args) {
		return "", c.errorf(word, "%s takes %d values, not %d: %s", name.Ident, len(f.args), len(args), f.usage)
	}
	for i, want := range f.args {
		if want != anything && args[i] != want {
			return "", c.errorf(word, "%s takes %s as value %d, not %s: %s", name.Ident, want, i+1, args[i], f.usage)
		}
	}
	return f.gives, nil
}

func (c *checker) operand(node parse.Node) (kind, error) {
	switch node := node.(type) {
	case *parse.FieldNode:
		if c.ranges {
			return c.field(node, optionFields, node.Ident)
		}
		return c.field(node, fields, node.Ident)
	case *parse.VariableNode:
		return c.field(node, fields, node.Ident[1:])
	case *parse.StringNode:
		return aText, nil
	case *parse.PipeNode:
		return c.pipe(node)
	case *parse.IdentifierNode:
		return c.call(node, nil)
	}
	return "", c.errorf(node, "%s is neither a field nor a text in quotes; %s", node, templateHelp)
}

// field finds what a path such as .Subject or $.Subject names in a table.
func (c *checker) field(node parse.Node, table map[string]field, path []string) (kind, error) {
	if len(path) != 1 {
		return "", c.errorf(node, "%s names no field; %s", node, templateHelp)
	}
	found, ok := table[path[0]]
	if ok && found.scope <= c.scope {
		return found.kind, nil
	}
	var there []string
	for _, name := range names(table) {
		if table[name].scope <= c.scope {
			there = append(there, "."+name)
		}
	}
	return "", c.errorf(node, "there is no field .%s here; there are %s", path[0], strings.Join(there, ", "))
}
