"""Texts and files that no reader of JSON or YAML should choke on."""
import json

from harness import Fifo, Folder, Link, Sparse

ESCAPES = "a\x1b[31m\x1b]0;owned\x07\r\u202e\u2028\x7f\x9b"
LONG = "long" * 300_000

# Instead of a file, whatever it should hold.
FILES = {
    "missing": None,
    "empty": b"",
    "blank": b" \n\t\n",
    "nul": b"\0" * 64,
    "random": bytes((i * 7919 + i * i // 3) % 256 for i in range(4096)),
    "fifo": Fifo(),
    "folder": Folder(),
    "dangling": Link("nowhere"),
    "loop": Link("/proc/self/fd/99999"),
    "zeros-without-end": Link("/dev/zero"),
    "terminal": Link("/dev/tty"),
    "memory": Link("/proc/self/mem"),
    "huge": Sparse(1 << 40),
}

JSON = {
    "half-a-string": '{"a": "b',
    "half-an-object": '{"a": {"b": 1',
    "scalar": "1",
    "list": "[1, 2]",
    "null": "null",
    "utf-16": '{"a": 1}'.encode("utf-16"),
    "ill-formed-utf-8": b'{"a": "\xff\xfe\xed\xa0\x80"}',
    "overlong-utf-8": b'{"a": "\xc0\xaf"}',
    "lone-surrogate": '{"a": "\\ud800"}',
    "bare-control": '{"a": "\x1b[31m"}',
    "escape-in-a-key": json.dumps({ESCAPES: 1, ESCAPES + "2": [ESCAPES]}),
    "nul-in-a-key": '{"a\\u0000b": 1}',
    "long-key": json.dumps({LONG: 1}),
    "same-key-twice": '{"a": 1, "a": 2}',
    "same-long-key-twice": "{%s: 1, %s: 2}" % (json.dumps(LONG), json.dumps(LONG)),
    "same-odd-key-twice": "{%s: 1, %s: 2}" % (json.dumps(ESCAPES), json.dumps(ESCAPES)),
    "huge-number": '{"a": 1e400}',
    "long-number": '{"a": ' + "9" * 100_000 + "}",
    "nan": '{"a": NaN}',
    "comment": '{"a": 1} // b',
    "two-documents": '{"a": 1}{"b": 2}',
    "trailing-comma": '{"a": 1,}',
    "deep-lists": "[" * 500_000 + "]" * 500_000,
    "deep-open": "[" * 500_000,
    "deep-objects": '{"a":' * 200_000 + "1" + "}" * 200_000,
    "deep-mixed": '[{"a":' * 100_000,
    "many-members": "{" + ",".join(f'"{i}":{i}' for i in range(100_000)) + "}",
    "many-lists": "[" + "[]," * 200_000 + "[]]",
}

# Put where a value of an object was.
JSON_VALUES = {
    "null": "null", "true": "true", "text": '"x"', "empty-text": '""', "minus-one": "-1", "zero": "0", "half": "0.5",
    "two-to-31": str(1 << 31), "two-to-63": str(1 << 63), "two-to-64": str(1 << 64), "tiny": "1e-320", "large": "1e308",
    "list": "[]", "object": "{}", "odd-text": json.dumps(ESCAPES), "nul-text": '"a\\u0000b"', "path": '"../../../etc/passwd"',
    "long-text": json.dumps(LONG), "deep": "[" * 200 + "]" * 200, "too-deep": "[" * 100_000 + "]" * 100_000,
    "long-list": "[" + "1," * 100_000 + "1]", "texts": '["a", "b"]',
}

YAML = {
    "scalar": "just a text",
    "list": "- a\n- b\n",
    "deep-flow": "a: " + "[" * 100_000 + "]" * 100_000,
    "deep-open": "a: " + "[" * 100_000,
    "deep-flow-maps": "a: " + "{b: " * 50_000,
    "deep-block": "- " * 100_000 + "a",
    "deep-keys": "? " * 100_000 + "a",
    "deep-lines": "\n".join(" " * i + "a:" for i in range(400)),
    "holds-itself": "a: &a [*a]\n",
    "aliases-of-aliases": "a: &a [x, x]\n" + "".join(f"{chr(98 + i)}: &{chr(98 + i)} [*{chr(97 + i)}, *{chr(97 + i)}]\n" for i in range(24)),
    "unknown-alias": "a: *nowhere\n",
    "tab": "a:\n\t- b\n",
    "open-quote": "a: \"b\n",
    "open-flow": "a: [b, c\n",
    "odd-indent": "a:\n   b: 1\n  c: 2\n",
    "ill-formed-utf-8": b"a: \xff\xfe\xc0\xaf\n",
    "utf-16": "a: 1\n".encode("utf-16"),
    "nul": b"a: b\0c\n",
    "escapes": "a: \"\\e[31m\\a\\x9b\\u2028\"\n\"\\e[31m\": b\n",
    "bare-escapes": f"{ESCAPES}: {ESCAPES}\n".replace("\r", ""),
    "long-key": f"? {LONG}\n: 1\n",
    "long-value": f"a: {LONG}\n",
    "same-key-twice": "a: 1\na: 2\n",
    "list-as-key": "[a, b]: c\n",
    "map-as-key": "{a: b}: c\n",
    "merge": "<<: {a: b}\n",
    "tag": "a: !!binary x\nb: !foo bar\n",
    "many-documents": "---\na: 1\n" * 1000,
    "directive": "%YAML 9.9\n---\na: 1\n",
    "many-keys": "".join(f"k{i}: {i}\n" for i in range(20_000)),
    "too-long": "a: " + "b" * (9 << 20),
    "colons": ":" * 10_000,
    "stars": "*" * 10_000,
    "dashes": "-" * 10_000,
}

YAML_VALUES = {
    "nothing": "", "text": "x", "minus-one": "-1", "zero": "0", "half": "0.5", "two-to-63": str(1 << 63), "two-to-64": str(1 << 64),
    "large": "1e308", "nan": ".nan", "list": "[]", "map": "{}", "quoted": '""', "odd-text": '"\\e[31m\\n\\u2028"', "nul": '"a\\0b"',
    "deep": "[" * 200 + "]" * 200, "brackets": '"' + "(" * 100_000 + "1" + ")" * 100_000 + '"', "long-text": LONG,
    "path": "../../../etc/passwd", "holds-itself": "&x [*x]", "long-list": "[" + "1, " * 20_000 + "1]",
}


def replaced(document, path, value):
    """The JSON text with the value at `path` replaced by a text, whatever that is."""
    mark = "@@@"
    copy = json.loads(json.dumps(document))
    at = copy
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = mark
    return json.dumps(copy).replace(json.dumps(mark), value)
