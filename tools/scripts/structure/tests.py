"""How tests are written: RUN lines that can be read, names in UpperCamel."""
import re

from structure.tree import line_of

MAX_COLUMNS = 200
DIRECTIVE = re.compile(r"\b(?:RE)?(?:DEFINE|RUN):")
INLINE = re.compile(r"\bpython[\d.]*(?: +-\w+)* +-c\b")

TEST = re.compile(r"\b(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)\s*\)")
UPPER_CAMEL = re.compile(r"[A-Z][A-Za-z0-9]*")


def check_run_lines(tree, path):
    for number, line in enumerate(tree.text(path).splitlines(), 1):
        if not DIRECTIVE.search(line):
            continue
        if INLINE.search(line):
            tree.error(path, number, "expected %json, %text, %npy, %write or a script but got Python between quotes")
        if len(line) > MAX_COLUMNS:
            tree.error(path, number, f"expected at most {MAX_COLUMNS} columns but got {len(line)}: a line goes on after \\")


def check_names(tree, path):
    code = tree.code(path)
    for match in TEST.finditer(code):
        for name in match.groups():
            if not UPPER_CAMEL.fullmatch(name):
                tree.error(path, line_of(code, match.start()), f"expected a test name in UpperCamel but got {name}")


def check(tree):
    for path in tree.of({".mlir", ".test"}):
        if path.parts[0] == "test" and tree.text(path) is not None:
            check_run_lines(tree, path)
    for path in tree.of({".cpp"}):
        if path.parts[0] == "test":
            check_names(tree, path)
