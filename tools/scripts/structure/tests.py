"""How tests are written: RUN lines that can be read."""
import re

COLUMNS = 200
DIRECTIVE = re.compile(r"\b(?:RE)?(?:DEFINE|RUN):")
INLINE = re.compile(r"\bpython[\d.]*(?: +-\w+)* +-c\b")


def check_run_lines(tree, path):
    for number, line in enumerate(tree.text(path).splitlines(), 1):
        if not DIRECTIVE.search(line):
            continue
        if INLINE.search(line):
            tree.error(path, number, "expected %json, %text, %npy, %write or a script but got Python between quotes")
        if len(line) > COLUMNS:
            tree.error(path, number, f"expected at most {COLUMNS} columns but got {len(line)}: a line goes on after \\")


def check(tree):
    for path in tree.of({".mlir", ".test"}):
        if path.parts[0] == "test" and tree.text(path) is not None:
            check_run_lines(tree, path)
