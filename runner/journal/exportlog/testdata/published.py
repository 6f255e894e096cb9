"""Has the published code of a harness find the answers in completions.

python3 published.py HARNESS CHECKOUT reads objects {"text": ..., "options": N}, a line each, and prints the letter that the harness's
own function finds in each, or null. What it imports beside that function is stood in for, so that no package is needed.
"""
import importlib.util
import json
import os
import re
import sys
import tempfile
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


def tiger(checkout):
    with tempfile.TemporaryDirectory() as none:  # its files are counted as it is loaded
        sys.argv = ["compute_accuracy.py", none]
        code = load(os.path.join(checkout, "compute_accuracy.py"), {})
    return lambda text, options: code.extract_answer(text, "l2")


def lm_eval(checkout):
    code = load(os.path.join(checkout, "lm_eval", "filters", "extraction.py"), {
        "lm_eval.api.filter": {"Filter": object},
        "lm_eval.api.registry": {"register_filter": lambda name: lambda c: c},
    })
    with open(os.path.join(checkout, "lm_eval", "tasks", "mmlu_pro", "_default_template_yaml"), encoding="utf-8") as task:
        pattern = re.search(r"^ *regex_pattern: *'(.*)' *$", task.read(), re.M).group(1)
    found = code.RegexFilter(regex_pattern=pattern)

    def answer(text, options):
        letter = list(found.apply([[text]], [{}]))[0][0]
        return None if letter == "[invalid]" else letter
    return answer


def evalscope(checkout):
    code = load(os.path.join(checkout, "evalscope", "utils", "multi_choices.py"), {
        "evalscope.api.evaluator": {"Choices": list, "Target": str, "TaskState": object},
    })

    def answer(text, options):
        state = types.SimpleNamespace(choices=list(range(options)), output=types.SimpleNamespace(completion=text))
        return "".join(sorted(code.parse_answers(state))) or None
    return answer


if __name__ == "__main__":
    find = {"tiger": tiger, "lm-eval": lm_eval, "evalscope": evalscope}[sys.argv[1]](sys.argv[2])
    for line in sys.stdin:
        item = json.loads(line)
        print(json.dumps(find(item["text"], item["options"])))
