"""What every file keeps to, whatever is in it."""
import pathlib
import re

from structure.tree import CODE

# Inside a signal handler: neither memory may be allocated nor a lock taken.
WRITES_ITSELF = {pathlib.Path("compiler/driver/CrashHandler.cpp")}


def is_source(tree, path):
    """C++, TableGen, Python, and scripts without a suffix."""
    if path.suffix in CODE | {".py", ".sh"}:
        return True
    return path.suffix == "" and (tree.text(path) or "").startswith("#!")


def check_header(tree, path, lines):
    """Three words of comment within the first three lines, before any code."""
    headers = {path.with_suffix(".h"), pathlib.Path("runtime/include/nstf", path.stem + ".h")}
    if path.suffix == ".cpp" and headers & tree.known:
        return
    first = lines[1:4] if lines and lines[0].startswith("#!") else lines[:3]
    directive = first and re.match(r"\s*#\s*(include|define|pragma|if)", first[0])
    if directive or not re.match(r'\s*(//|#|/\*|"""|;)\W*(\w+\W+){3}', "\n".join(first) + "\n"):
        tree.error(path, 1, "expected a comment that says what this file is")


def check_files(tree):
    for path in tree.files:
        text = tree.text(path)
        if text is None or path.name == "LICENSE":
            continue
        lines = text.splitlines()
        if is_source(tree, path):
            if len(lines) > 500:
                tree.error(path, 0, f"expected at most 500 lines but got {len(lines)}")
            elif len(lines) > 400:
                tree.warnings.append(f"{path}: {len(lines)} lines, aim at 400")
            check_header(tree, path, lines)
        for number, line in enumerate(lines, 1):
            if re.search(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b", line):
                tree.error(path, number, "a note of unfinished work")


def check_writes(tree):
    """support/WriteFile.h is the one way to write a file; tests and examples write as they like."""
    ways = re.compile(r"\b(std::)?(w?ofstream|basic_ofstream|fstream|filebuf)\b|\bfd?open\(|\bfreopen\(|\bcreat\(|"
                      r"\bO_(CREAT|WRONLY|RDWR|TMPFILE)\b|\bmk[od]?s?temps?\(|\brename(at2?)?\(|\bcopy_file\(|"
                      r"\braw_fd_o?stream\b|\bToolOutputFile\b|\bopenOutputFile\b|\bopenFileForWrite\b|"
                      r"\bFileOutputBuffer\b")
    for path in tree.files:
        if path.suffix not in CODE or path.parts[0] in ("support", "test", "examples") or path in WRITES_ITSELF:
            continue
        for number, line in enumerate(tree.text(path).splitlines(), 1):
            code = re.sub(r'"(\\.|[^"\\])*"|#\s*include.*', '""', line).split("//")[0]
            if match := ways.search(code):
                tree.error(path, number, f"expected files to be written by support/WriteFile.h but got {match.group(0)}")


def check(tree):
    check_files(tree)
    check_writes(tree)
