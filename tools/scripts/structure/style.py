"""How C++ is written here: as clang-format leaves it, and what clang-format doesn't see."""
import os
import pathlib
import re
import subprocess

from structure.tree import CPLUSPLUS, line_of

STYLE = pathlib.Path(__file__).resolve().parents[3] / ".clang-format"

BANNER = re.compile(r"\s*(//|/?\*+)\s*[-=*#~/]{5,}")
INTEGER = re.compile(r"\bstd::(u?int(_fast|_least)?\d+_t)\b")
CONSTANT = re.compile(r"(?<![\w.:>])k[A-Z]\w*")
MEMBER = re.compile(r"(?:^|[;{}:])[ \t]*(?!return\b|delete\b|throw\b|goto\b|else\b|case\b|co_)"
                    r"(?:[\w:]+[ \t]+)*[\w:]+(?:<[^;(]*>)?[ \t\n*&]+([a-z]\w*_)[ \t]*(?:[;=]|\{[^}\n]*\};|\[)", re.MULTILINE)


PUBLIC = pathlib.Path("runtime/include")
GETTER = re.compile(r"\b(?!(?:get|is|has)[A-Z])([a-z]\w*)Of(?=\()")


def start_format(tree):
    """clang-format on every file, data of tests too, a share on each core."""
    files = [str(path) for path in tree.files + tree.inputs if path.suffix in CPLUSPLUS]
    cores = os.cpu_count()
    command = ["clang-format-22", "--dry-run", f"--style=file:{STYLE}"]
    return [subprocess.Popen(command + files[first::cores], cwd=tree.root, stderr=subprocess.PIPE, text=True)
            for first in range(min(cores, len(files)))]


def finish_format(tree, runs):
    """One error a file, at the first line that clang-format would change."""
    first = {}
    for run in runs:
        report = run.communicate()[1]
        for path, line in re.findall(r"^(.+?):(\d+):\d+: warning: code should be clang-formatted", report, re.MULTILINE):
            first.setdefault(path, line)
        if run.returncode:
            tree.error("clang-format-22", 0, report.strip() or f"ended with status {run.returncode}")
    for path, line in sorted(first.items()):
        tree.error(path, line, "expected what clang-format-22 makes of this line")


def check_words(tree, path):
    """Banners, guards, integers, constants."""
    lines = tree.text(path).splitlines()
    for number, line in enumerate(lines, 1):
        if BANNER.match(line):
            tree.error(path, number, "expected no banner")
            break
    code = tree.code(path)
    if path.suffix == ".h" and not path.stem.endswith("-inl") and not re.search(r"^#pragma once$", code, re.MULTILINE):
        tree.error(path, 1, "expected #pragma once")
    for match in INTEGER.finditer(code):
        tree.error(path, line_of(code, match.start()), f"expected {match.group(1)} but got {match.group()}")
    for match in CONSTANT.finditer(code):
        name = match.group()
        tree.error(path, line_of(code, match.start()), f"expected the name {name[1].lower() + name[2:]} but got {name}")


def check_members(tree):
    """Members end in no underscore."""
    for path in tree.of(CPLUSPLUS):
        if match := MEMBER.search(tree.code(path)):
            name = match.group(1)
            line = line_of(tree.code(path), match.start(1))
            tree.error(path, line, f"expected the name {name.rstrip('_')} but got {name}")


def check_getters(tree):
    """Functions of headers are getX and not xOf, but for names that the public headers have."""
    headers = tree.of({".h"})
    public = {name for path in headers if path.is_relative_to(PUBLIC) for name in GETTER.findall(tree.code(path))}
    for path in headers:
        code = tree.code(path)
        for match in GETTER.finditer(code):
            name = match.group(1)
            if name not in public:
                line = line_of(code, match.start())
                tree.error(path, line, f"expected the name get{name[0].upper() + name[1:]} but got {match.group()}")


def check(tree):
    runs = start_format(tree)
    for path in tree.of(CPLUSPLUS):
        check_words(tree, path)
    check_members(tree)
    check_getters(tree)
    finish_format(tree, runs)
