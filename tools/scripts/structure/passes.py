"""Passes: their names and order, and the level of what they make."""
import pathlib
import re

from structure.tree import line_of

# Dialects below tile programs, which only the way down from them may make operations of.
LOWER = re.compile(r'#include "mlir/Dialect/(AMDGPU|GPU|LLVMIR|NVGPU)/')
WAY_DOWN = "passes/systolic_to_gpu"
PIPELINES = pathlib.Path("compiler/pipelines/Pipelines.cpp")


def kebab(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", name).lower()


def pipeline_order(tree):
    """The names of passes in the order that Pipelines.cpp runs them; a pipeline may contain another."""
    bodies = dict(re.findall(r"^void nstf::build(\w+)Pipeline\([^)]*\) \{[^\n]*\n(.*?)^\}", tree.text(PIPELINES),
                             re.MULTILINE | re.DOTALL))
    order = []

    def add(name):
        for called, made in re.findall(r"build(\w+)Pipeline\(|create(\w+)Pass\(", bodies.get(name, "")):
            if called:
                add(called)
            elif made not in order:
                order.append(made)
    for name in bodies:
        if not any(f"build{name}Pipeline(" in body for body in bodies.values()):
            add(name)
    return order


def check_order(tree):
    """Passes of a file are declared in the order they run in."""
    if PIPELINES not in tree.known:
        return
    order = pipeline_order(tree)
    for path in tree.files:
        if path.name == "Passes.td":
            text, last = tree.text(path), -1
            for match in re.finditer(r"^\s*def\s+(\w+?)Pass\s*:", text, re.MULTILINE):
                if match[1] in order:
                    at = order.index(match[1])
                    if at < last:
                        tree.error(path, line_of(text, match.start(1)),
                                   f"expected {match[1]}Pass before {order[last]}Pass, as in {PIPELINES}")
                    last = max(at, last)


def check(tree):
    check_order(tree)
    declared = set()
    for path in tree.files:
        if path.parts[0] not in ("passes", "compiler") or path.suffix != ".td":
            continue
        for number, line in enumerate(tree.text(path).splitlines(), 1):
            match = re.match(r'\s*def\s+(\w+)\s*:\s*(?:Pass|InterfacePass)\s*<\s*"([^"]+)"', line)
            if match:
                declared.add((path.parent, match.group(1).removesuffix("Pass")))
                check_pass(tree, path, number, *match.groups())
    for path in tree.files:
        if path.parts[0] in ("passes", "compiler") and path.suffix == ".cpp":
            passes = re.findall(r"#define\s+GEN_PASS_DEF_(\w+)|PassWrapper<\s*(\w+)", tree.text(path))
            if len(passes) > 1:
                tree.error(path, 0, f"expected one pass in a file but got {len(passes)}")
            if passes and (path.parent, path.stem) not in declared:
                tree.error(path, 0, f"defines a pass, but {path.parent} declares no {path.stem}Pass in a .td file")


    for path in tree.files:
        if path.parts[0] == "passes" and not str(path).startswith(WAY_DOWN + "/") and path.suffix in (".cpp", ".h"):
            for number, line in enumerate(tree.text(path).splitlines(), 1):
                if found := LOWER.match(line):
                    tree.error(path, number, f"includes {found[1]}: operations of lower levels are made in {WAY_DOWN}")


def check_pass(tree, path, number, name, flag):
    """In passes/<level> flags begin with the level, in compiler/<folder> with nstf."""
    if not name.endswith("Pass"):
        tree.error(path, number, f"expected a name that ends in Pass but got {name}")
    name = name.removesuffix("Pass")
    level = path.parent.name if path.parts[0] == "passes" else "nstf"
    expected = kebab(level.replace("_", "-")) + "-" + kebab(name)
    if flag != expected:
        tree.error(path, number, f"expected the flag {expected} but got {flag}")
    for needed in [f"{path.parent}/{name}.cpp", f"test/{path.parent}/{kebab(name)}.mlir"]:
        if not (tree.root / needed).exists():
            tree.error(path, number, f"{name}Pass needs {needed}")
