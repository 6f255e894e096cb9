"""Renders templates as transformers does: a line [template, variables] in, [text] or [null, message] out. Needs jinja2 3.1."""

import datetime
import functools
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "jinja" / "testdata"))
import renderings  # noqa: E402

env = renderings.environment()
env.from_string = functools.cache(env.from_string)
env.globals["strftime_now"] = datetime.datetime(2026, 1, 5, 12).strftime
for line in sys.stdin:
    source, variables = json.loads(line)
    rendered = renderings.rendering(env, source, variables)
    print(json.dumps(rendered[1:]))
