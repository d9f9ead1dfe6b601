"""jinja2 in its sandbox, set up as transformers sets it up for chat templates. Renders a request of render.cpp."""
import datetime
import json

import jinja2
import jinja2.ext
import jinja2.sandbox

NOW = datetime.datetime(2024, 7, 6, 9, 5, 3)


class Refused(Exception):
    pass


class Generation(jinja2.ext.Extension):
    """{% generation %}, which marks what an assistant said: here the text alone counts."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("body"), [], [], body).set_lineno(line)

    def body(self, caller):
        return caller()


class Space(jinja2.utils.Namespace):
    def __init__(*args, **kwargs):
        self, args = args[0], args[1:]
        for name in dict(*args, **kwargs):
            Space.check(name)
        jinja2.utils.Namespace.__init__(self, *args, **kwargs)

    def __setitem__(self, name, value):
        Space.check(name)
        jinja2.utils.Namespace.__setitem__(self, name, value)

    @staticmethod
    def check(name):
        if name.startswith("_"):
            raise jinja2.exceptions.SecurityError(name)


def refuse(message):
    raise Refused(str(message))


def make_environment():
    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols])

    def tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
        return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    environment.filters["tojson"] = tojson
    environment.globals["raise_exception"] = refuse
    environment.globals["strftime_now"] = NOW.strftime
    environment.globals["namespace"] = Space
    return environment


ENVIRONMENT = make_environment()
CACHE = {}


def render(request):
    """The answer that render.cpp must give; of an error only that there is one."""
    text = request["template"]
    try:
        if text not in CACHE:
            CACHE[text] = ENVIRONMENT.from_string(text)
        result = CACHE[text].render(
            messages=request.get("messages", []), tools=request.get("tools"), documents=None,
            add_generation_prompt=request.get("add_generation_prompt", False), **request.get("variables", {}))
        result.encode()
        return {"text": result}
    except Refused as refusal:
        return {"refused": str(refusal)}
    except Exception as error:  # whatever Python raises
        return {"error": f"{type(error).__name__}: {error}"}
