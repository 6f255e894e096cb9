"""Writes renderings.jsonl.gz: the templates of snippets.txt (one a line, ⏎ is a line end) and random ones, as Jinja2 renders them with Hugging Face's settings.

usage: python3 renderings.py    with jinja2 3.1.6, in this folder. The same templates come each time.

A line is [template, text] where Jinja2 renders it, [template, null, message] where it refuses it. The variables are those of
variables.json.
"""

import gzip
import json
import random
from pathlib import Path

import jinja2
import jinja2.ext
import jinja2.sandbox


class Generation(jinja2.ext.Extension):
    """{% generation %} of transformers, whose body is a call's."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("support"), [], [], body).set_lineno(line)

    @jinja2.pass_context
    def support(self, context, caller):
        return caller()


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def environment():
    env = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols]
    )
    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    return env


class Templates:
    """Random templates: the constructs of published ones, about as often, and rarer ones."""

    def __init__(self, seed):
        self.r = random.Random(seed)

    def pick(self, *choices):
        return self.r.choice(choices)

    def chance(self, p):
        return self.r.random() < p

    def text(self):
        words = ["User:", "<|im_start|>", "x", "Ω", "a b", "{", "}", "%", "# ", "'", "[INST]", "\\n", "- "]
        blanks = ["", "", " ", "\n", "\n\n", "  ", "\t", "\n  ", " \n", "\n\t", "\r\n"]
        return "".join(self.pick(*blanks) + (self.pick(*words) if self.chance(0.7) else "") for _ in range(self.r.randint(1, 3))) + self.pick(
            *blanks
        )

    def tag(self, kind, inside):
        left = "-" if self.chance(0.35) else "+" if kind != "{" and self.chance(0.05) else ""
        right = "-" if self.chance(0.35) else "+" if kind == "%" and self.chance(0.05) else ""
        end = {"{": "}}", "%": "%}", "#": "#}"}[kind]
        return "{" + kind + left + self.pick(" ", " ", " ", "", "\n") + inside + self.pick(" ", " ", " ", "") + right + end

    def string(self):
        return self.pick(
            "'a'", "'user'", "'system'", '"x"', "''", r"'\n'", r"'\r\n'", r"'\u00e9'", r"'a\tb'", r"'it\'s'", "'Ab c'", r"'\\'", "'%'", "'ß'",
            '"a, b"', "' x '", r"'\x41\101'", "'12'", r"'\d'", "'}}'",
        )

    def number(self):
        return self.pick("0", "1", "2", "3", "-1", "1.5", "10", "1e3", "2.0", "7")

    def sequence(self, depth):
        return self.pick(
            "messages", "messages[1:]", "messages[::-1]", "words", "words[:2]", "numbers", "[1, 2, 3]", "['b', 'a', 'B']", "tools", "[]",
            "range(3)", "('a', 'b')", "words + ['z']", "messages | selectattr('role', 'equalto', 'user') | list", "words | list",
            "text.split(' ')", "numbers | select('odd') | list", "nothing", "text.split('b', 1)", "words | map('upper') | list",
        )

    def mapping(self):
        return self.pick("messages[0]", "object", "{'a': 1, 'b': [2, none]}", "{}", "messages[-1]", "tools[0]")

    def words_value(self, depth):
        """An expression whose value is a text."""
        leaf = ["text", "name", "bos_token", "eos_token", "messages[0].content", "messages[0]['role']", "messages[-1].content", "object.kind"]
        if depth <= 0 or self.chance(0.3):
            return self.pick(*leaf, self.string(), self.string())
        w = self.words_value
        return self.r.choices(
            [
                lambda: f"{w(depth - 1)} + {w(depth - 1)}",
                lambda: f"{w(depth - 1)} ~ {self.value(depth - 1)}",
                lambda: f"({w(depth - 1)})" + self.pick(" | trim", ".strip()", ".lstrip()", ".rstrip()", ".strip('a ')", ".upper()", ".lower()"),
                lambda: f"{w(0)} | " + self.pick("trim", "upper", "lower", "string", "default('d')", "replace('a', 'A')", "tojson", "tojson",
                                                 "trim | upper", "trim | lower", "indent(2)", "length | string", "first", "last", "safe"),
                lambda: f"({w(depth - 1)}).replace({self.string()}, {self.string()})",
                lambda: f"({w(depth - 1)}).split({self.string()})[{self.pick('0', '-1')}]",
                lambda: f"{w(0)}[{self.pick('0', '-1', '1:', ':2', '::-1', ':-1', '9')}]",
                lambda: f"{w(depth - 1)} if {self.truth(depth - 1)} else {w(depth - 1)}",
                lambda: f"{w(depth - 1)} if {self.truth(depth - 1)}",
                lambda: f"{w(0)} or {w(0)}",
                lambda: f"{self.string()} * {self.pick('2', '0', '3')}",
                lambda: f"{self.sequence(0)} | join({self.pick('', self.string())})",
                lambda: f"{self.string()}.join(words)",
                lambda: f"({self.any(depth - 1)}) | string",
                lambda: f"({self.any(depth - 1)}) | tojson" + self.pick("", "", "(indent=2)", "(ensure_ascii=true)", "(separators=(',', ':'))"),
                lambda: f"{w(0)}.{self.pick('rsplit(None, 1)[-1]', 'splitlines()[0]', 'rsplit()[0]')}",
                lambda: self.rare(),
                lambda: f"'{{}} and {{}}'.format({w(0)}, {self.number()})",
            ],
            [6, 4, 6, 6, 3, 3, 2, 3, 1, 1, 1, 2, 1, 2, 3, 1, 0.05, 0.3],
        )[0]()

    def rare(self):
        """What no published template has."""
        return self.pick("name.title()", "name | title", "numbers | sum", "numbers | max", "n | abs", "2 ** 3", "words | batch(2) | list", "range(3)",
                         "text.partition(' ')[0]", "name | capitalize", "2.5 | round", "'%s' % name", "name | e", "name.isalpha()", "text | wordcount")

    def value(self, depth):
        """An operand: a text's or a number's expression in brackets where it needs some."""
        e = self.any(depth)
        return e if e.replace("_", "").isalnum() else f"({e})"

    def whole(self, depth):
        if depth <= 0 or self.chance(0.4):
            return self.pick("1", "2", "0", "n", "numbers[0]", "messages | length", "text | length", "words|length", "-1", "n - 1")
        w = self.whole
        return self.pick(
            f"{w(depth - 1)} + {w(depth - 1)}", f"{w(depth - 1)} - {w(depth - 1)}", f"({w(depth - 1)}) * {w(0)}", f"({w(depth - 1)}) % 2",
            f"({w(depth - 1)}) // 2", f"{self.string()} | int", f"text.find({self.string()})", f"words.index('a')", f"{w(0)} / 2",
            f"{self.string()}.count('a')", "numbers | min", "3.7 | int",
        )

    def truth(self, depth):
        if depth <= 0 or self.chance(0.2):
            return self.pick(
                "flag", "not flag", "add_generation_prompt", "nothing is defined", "text is string", "none is none", "messages[0].role == 'system'",
                "object is mapping", "tools is iterable and tools is not string", "nothing", "messages", "flag is true", "object.x is not none",
                "enable_thinking is defined and not enable_thinking", "text.startswith('a')", "text.endswith(('b', 'c'))", "'a' in text",
                "'kind' in object", "'z' not in words", "n is number", "n is even", "n is boolean", "1 < n <= 3", "words is sequence",
                "object['zz'] is defined", "messages[0]['tool_calls'] is undefined", "flag is sameas true", "n is divisibleby 2",
            )
        t = self.truth
        return self.pick(
            f"{t(depth - 1)} and {t(depth - 1)}", f"{t(depth - 1)} or {t(depth - 1)}", f"not ({t(depth - 1)})",
            f"{self.words_value(0)} == {self.words_value(0)}", f"{self.whole(0)} > {self.whole(0)}", f"{self.words_value(0)} != {self.string()}",
            f"{self.string()} in {self.words_value(0)}", f"{self.value(depth - 1)} is {self.pick('defined', 'string', 'mapping', 'none', 'number')}",
            f"{self.whole(0)} {self.pick('<', '>=', '==', '!=')} {self.whole(0)}", f"{self.string()} in {self.sequence(0)}",
            f"({self.sequence(0)}) | length > {self.pick('0', '1', '2')}",
        )

    def any(self, depth):
        return self.r.choices(
            [
                lambda: self.words_value(depth),
                lambda: self.whole(depth),
                lambda: self.truth(depth),
                lambda: self.sequence(depth),
                lambda: self.mapping(),
                lambda: self.pick("none", "true", "nothing", "1.5", "object.x", "object.nested.y", "object.get('zz', 3)", "numbers[5]", "object.items()"),
                lambda: f"[{self.any(0)}, {self.any(0)}]",
                lambda: f"({self.sequence(0)}) | " + self.pick("first", "last", "length", "sort", "list", "reverse | list", "map('upper') | list",
                                                             "map(attribute='role') | list", "unique | list", "join(', ')", "select | list",
                                                             "reject('string') | list", "sort(attribute='role')"),
                lambda: self.pick("nothing.attribute", "text.nope", "text + 1", "1 + text", "messages.content", "object.kind.deeper.still", "[] + ''", "n()",
                                  "none | length", "object | dictsort", "words.append('q')", "object.update({})", "text | nofilter", "object | items | list"),
            ],
            [8, 4, 3, 3, 2, 2, 1, 3, 0.6],
        )[0]()

    def expression(self):
        return self.tag("{", self.r.choices([self.words_value(2), self.any(2)], [3, 2])[0])

    def body(self, depth, names=(), inside=()):
        return "".join(self.part(depth, names, inside) for _ in range(self.r.randint(1, 4 if depth else 3)))

    def part(self, depth, names, inside):
        if names and self.chance(0.3):
            return self.tag("{", self.pick(*names))
        simple = [self.text, self.text, self.expression, lambda: self.tag("#", self.pick("note", "a {{ b }}", "x\ny"))]
        if depth <= 0:
            return self.r.choices(simple, [3, 3, 4, 1])[0]()
        statement = self.r.choices(
            ["if", "for", "set", "namespace", "block", "macro", "raw", "filter", "with", "control", "call", "generation"],
            [8, 8, 6, 2, 2, 2, 0.6, 0.6, 0.6, 1, 0.02, 0.5],
        )[0]
        if self.chance(0.45):
            return self.r.choices(simple, [3, 3, 4, 1])[0]()
        t, more = self.tag, lambda extra=(), within=inside: self.body(depth - 1, tuple(names) + tuple(extra), within)
        if statement == "if":
            parts = t("%", "if " + self.truth(2)) + more()
            for _ in range(self.pick(0, 0, 1)):
                parts += t("%", "elif " + self.truth(1)) + more()
            if self.chance(0.5):
                parts += t("%", "else") + more()
            return parts + t("%", "endif")
        if statement == "for":
            if self.chance(0.25):
                head, extra = "for k, v in " + self.pick("object.items()", "object | items", "messages[0].items()", "object | dictsort"), ("k", "v")
            elif self.chance(0.6):
                head, extra = "for m in messages" + self.pick("", "", "[1:]"), ("m.role", "m['content']", "m.content | trim", "m.nope", "m.role == 'user'")
            else:
                head, extra = "for v in " + self.sequence(1), ("v", "v ~ ','", "v | string")
            if self.chance(0.2):
                head += " if " + self.pick("m.role != 'system'" if "m.role" in extra else "v", self.truth(0))
            extra += ("loop.index", "loop.index0", "loop.last", "loop.first", "loop.length", "loop.revindex", "loop.previtem is defined",
                      "loop.cycle('a', 'b')", "'' if loop.last else ', '")
            parts = t("%", head) + more(extra, ("for",))
            if self.chance(0.15):
                parts += t("%", "else") + more()
            return parts + t("%", "endfor")
        if statement == "set":
            name = self.pick("s", "text", "u", "messages" if self.chance(0.1) else "s")
            return t("%", self.pick(f"set {name} = {self.any(2)}" if name != "messages" else "set messages = messages[1:]",
                                    f"set s = {self.words_value(2)}", f"set s, u = {self.value(1)}, {self.value(1)}")) + (
                t("{", self.pick("s", "u")) if self.chance(0.7) else "")
        if statement == "namespace":
            return t("%", "set ns = namespace(" + self.pick("x=1", "x=''", "", "x=0, y=[]") + ")") + self.pick(
                t("%", "for m in messages") + t("%", "set ns.x = m.role") + t("%", "endfor"), t("%", f"set ns.x = {self.any(1)}"), "") + t(
                "{", self.pick("ns.x", "ns.x", "ns.y", "ns['x']"))
        if statement == "block":
            return t("%", "set s" + self.pick("", "", " | trim", " | upper")) + more() + t("%", "endset") + t("{", "s")
        if statement == "macro":
            return t("%", self.pick("macro f(a, b='d')", "macro f(a)", "macro f()", "macro f(a, b=none, c=a)")) + more(("a", "b", "c")) + t(
                "%", "endmacro") + t("{", self.pick("f(1)", "f('x', 'y')", "f()", "f(a=2)", "f('x') | trim", "f(b=1, a=2)"))
        if statement == "raw":
            return t("%", "raw") + self.text() + "{{ x }}{% y" + self.text() + t("%", "endraw")
        if statement == "filter":
            return t("%", "filter " + self.pick("upper", "trim", "indent(2)", "replace('a', 'b')")) + more() + t("%", "endfilter")
        if statement == "with":
            return t("%", f"with a = {self.any(1)}, b = 2") + more(("a", "b")) + t("%", "endwith")
        if statement == "control" and "for" in inside:
            return t("%", self.pick("break", "continue")) if self.chance(0.3) else t("%", "if " + self.truth(0)) + t(
                "%", self.pick("break", "continue")) + t("%", "endif")
        if statement == "call":
            return t("%", "macro g(x)") + self.text() + t("{", "x") + t("{", "caller()") + t("%", "endmacro") + t("%", "call g(1)") + more() + t(
                "%", "endcall")
        if statement == "generation":
            return t("%", "generation") + more() + t("%", "endgeneration")
        return self.text()


def rendering(env, source, variables):
    try:
        text = env.from_string(source).render(**variables)
    except Exception as e:  # noqa: BLE001  what Python raises, the template raised
        return [source, None, str(e)]
    return [source, text]


def main():
    env, variables = environment(), json.loads(Path("variables.json").read_text())
    templates = Templates(20261129)
    sources, seen = [], set()
    while len(sources) < 6000:
        source = templates.body(3)
        if source not in seen and len(source) < 600:
            seen.add(source)
            sources.append(source)
    snippets = [line.replace("⏎", "\n") for line in Path("snippets.txt").read_text().splitlines()]
    with gzip.GzipFile("renderings.jsonl.gz", "wb", 9, mtime=0) as out:
        for source in snippets + sources:
            line = rendering(env, source, variables)
            if line[1] is not None and " object at 0x" in line[1]:  # an address
                line = [source, None, "writes an address"]
            out.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")


if __name__ == "__main__":
    main()
