"""Evaluates Python expressions in RUN lines. lit.cfg.py gives the ways to call it their names:

    %json FILE EXPRESSION...            the JSON in the file is `m`; - is standard input
    %json NAME=FILE... EXPRESSION...    several files, each under a name of its own
    %text ...                           the same with text, which is `t` where it has no other name
    %npy ...                            the same with NumPy arrays, `a`
    %write FILE EXPRESSION              makes a file of a value: text and bytes as they are, an array as .npy, others as
                                        JSON; `old` is the bytes that were there

A condition (a comparison, `and`, `or`, `not`, and all that is True or False) must hold: if not, it is printed with the
values of its parts, and the exit status is 1. Other values are printed, each on a line, for FileCheck. An expression
may use text(FILE), the modules below, and what a `:=` before it named.

    RUN: %json %t/manifest.json 'm["kernels"][0]["name"] == "matmul"'
    RUN: %json a=%t/a.json b=%t/b.json 'a["ids"] == b["ids"]' 'len(a["ids"])' | FileCheck %s
    RUN: %write %t/cut.safetensors 'old[:9000]'
"""
import ast
import importlib
import json
import pathlib
import re
import sys

MODULES = {"json", "math", "numpy", "os", "pathlib", "re", "statistics", "struct"}


def text(file):
    return sys.stdin.read() if file == "-" else pathlib.Path(file).read_text()


def array(file):
    return importlib.import_module("numpy").load(file)


# What a file is read by, and its name where it has no other.
READERS = {"json": (lambda file: json.loads(text(file)), "m"), "text": (text, "t"), "npy": (array, "a")}


def evaluate(node, names):
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and part.id in MODULES:
            names.setdefault(part.id, importlib.import_module(part.id))
    return eval(compile(ast.fix_missing_locations(ast.Expression(node)), "expression", "eval"), names)


def parts(node):
    """What a condition that doesn't hold is made of, for whoever looks for the reason."""
    if isinstance(node, ast.BoolOp):
        return [part for value in node.values for part in parts(value)]
    if isinstance(node, ast.UnaryOp):
        return parts(node.operand)
    if isinstance(node, ast.Compare):
        return [side for side in (node.left, *node.comparators) if not isinstance(side, ast.Constant)]
    if isinstance(node, ast.Call) and len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp):
        return [ast.ListComp(node.args[0].elt, node.args[0].generators)]  # of all() and any()
    return [node]


def explain(expression, node, names):
    print(f"does not hold: {expression}", file=sys.stderr)
    for part in parts(node):
        try:
            value = repr(evaluate(part, names))
        except Exception as error:  # what stands before it in an `and` kept it from being evaluated
            value = f"{type(error).__name__}: {error}"
        print(f"  {ast.unparse(part)} is {value if len(value) < 4000 else value[:4000] + '...'}", file=sys.stderr)


def check(read, name, arguments):
    names = {"text": text}
    while arguments and (match := re.match(r"([a-z]\w*)=(?!=)(.+)", arguments[0])):
        names[match[1]] = read(match[2])
        arguments = arguments[1:]
    if len(names) == 1 and arguments:
        names[name] = read(arguments[0])
        arguments = arguments[1:]
    if not arguments:
        sys.exit("expected a file and an expression")
    held = True
    for expression in arguments:
        node = ast.parse(expression.strip(), mode="eval").body
        value = evaluate(node, names)
        condition = isinstance(node, (ast.BoolOp, ast.Compare)) or isinstance(getattr(node, "op", None), ast.Not)
        if not condition and type(value).__name__ not in ("bool", "bool_"):
            print(value)
        elif not value:
            explain(expression, node, names)
            held = False
    sys.exit(not held)


def write(file, expression):
    file = pathlib.Path(file)
    names = {"text": text, "old": file.read_bytes() if file.exists() else b""}
    value = evaluate(ast.parse(expression.strip(), mode="eval").body, names)
    if type(value).__name__ == "ndarray":
        with open(file, "wb") as stream:
            names["numpy"].save(stream, value)
    elif isinstance(value, bytes):
        file.write_bytes(value)
    else:
        file.write_text(value if isinstance(value, str) else json.dumps(value))


def main(way, *arguments):
    if way != "write":
        return check(*READERS[way], arguments)
    if len(arguments) != 2:
        sys.exit(f"expected a file and an expression but got {len(arguments)} arguments")
    write(*arguments)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (OSError, ValueError, SyntaxError, LookupError, TypeError, AttributeError, NameError) as error:
        sys.exit(f"{' '.join(sys.argv[1:])}: {type(error).__name__}: {error}")
