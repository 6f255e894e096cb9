"""Has the published code of lm-evaluation-harness find the answers in completions.

python3 published.py CHECKOUT reads objects {"text": ...}, a line each, and prints the letter that its own function finds in each, or
null. What it imports beside that function is stood in for, so that no package is needed.
"""
import importlib.util
import json
import os
import re
import sys
import types


def load(path, stand_ins):
    """The module of a file, with stand-ins for what it imports."""
    for name, members in stand_ins.items():
        parts = name.split(".")
        for i in range(1, len(parts) + 1):
            sys.modules.setdefault(".".join(parts[:i]), types.ModuleType(parts[i - 1]))
        vars(sys.modules[name]).update(members)
    spec = importlib.util.spec_from_file_location("published", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def lm_eval(checkout):
    code = load(os.path.join(checkout, "lm_eval", "filters", "extraction.py"), {
        "lm_eval.api.filter": {"Filter": object},
        "lm_eval.api.registry": {"register_filter": lambda name: lambda c: c},
    })
    with open(os.path.join(checkout, "lm_eval", "tasks", "mmlu_pro", "_default_template_yaml"), encoding="utf-8") as task:
        pattern = re.search(r"^ *regex_pattern: *'(.*)' *$", task.read(), re.M).group(1)
    found = code.RegexFilter(regex_pattern=pattern)

    def answer(text):
        letter = list(found.apply([[text]], [{}]))[0][0]
        return None if letter == "[invalid]" else letter
    return answer


if __name__ == "__main__":
    find = lm_eval(sys.argv[1])
    for line in sys.stdin:
        print(json.dumps(find(json.loads(line)["text"])))
