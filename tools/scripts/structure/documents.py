"""Documents: how long READMEs may be, and lines of documents and TableGen files; what documents name exists."""
import re

from structure.tree import CODE, TOP

MAX_WORDS, MAX_COLUMNS = 600, 120
FOLDERS = [*TOP, "docs", "cmake"]

PATH = re.compile(r"`((?:%s)/[\w./-]+)`" % "|".join(FOLDERS))
# What a line of text may have beyond the last column: a link, which cannot be broken.
LINK = re.compile(r"\]\([^)\s]*\)|<?\bhttps?://\S+")
DOCUMENT = re.compile(r"(?<![\w./-])[\w./-]*\w\.md\b(?![/\w])")
# A constraint under the name that verifiers and tests use for it.
LABEL = re.compile(r"\s*- (\w+_c(\d+)): ")
# Documents of others, where the line says whose they are.
OTHERS = re.compile(r"\bROCm docs\b|\bgithub\.com\b")
# A document named without its suffix, and by no name that a document here has.
SHOUTED = re.compile(r"\bDESIGN\b")


def prose(lines):
    """(number, line) of each line that is in no table and no block of code."""
    fenced = code = False
    blank = True
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
            continue
        if fenced:
            continue
        code = line.startswith("    ") and (blank or code)
        blank = not line.strip()
        if not code and not line.lstrip().startswith("|"):
            yield number, line


def check_words(tree, path, text):
    words = len(text.split())
    if path.name == "README.md" and words > MAX_WORDS:
        tree.error(path, 0, f"expected at most {MAX_WORDS} words but got {words}: reasons and figures go to docs/rationale")


def check_columns(tree, path, lines):
    for number, line in lines:
        columns = len(LINK.sub("", line))
        if columns > MAX_COLUMNS:
            tree.error(path, number, f"expected at most {MAX_COLUMNS} columns but got {columns}")


def check_paths(tree, path, text):
    """Pages on how to add something name files that their reader is to write, in folders that are there."""
    written = path.parts[:2] == ("docs", "how-to")
    for number, line in enumerate(text.splitlines(), 1):
        for name in PATH.findall(line):
            place = tree.root / name
            if not (place.parent if written else place).exists():
                tree.error(path, number, f"names {name}, which does not exist")


def check_names(tree, path, text):
    """A document is named by its path from the root, or from the folder of the file that names it."""
    for number, line in enumerate(text.splitlines(), 1):
        if OTHERS.search(line):
            continue
        for name in [*DOCUMENT.findall(line), *SHOUTED.findall(line)]:
            if not (tree.root / name).exists() and not (tree.root / path.parent / name).exists():
                tree.error(path, number, f"names the document {name}, which does not exist")


def check_labels(tree, path, text):
    """Constraints are labelled alike in all dialects."""
    for number, line in enumerate(text.splitlines(), 1):
        if match := LABEL.match(line):
            tree.error(path, number, f"expected the label C{match[2]} but got {match[1]}")


def check(tree):
    for folder in TOP:
        if (tree.root / folder).is_dir() and not (tree.root / folder / "README.md").exists():
            tree.error(folder, 0, "expected a README.md")
    for path in tree.files:
        text = tree.text(path)
        if text is None:
            continue
        if path.suffix == ".md":
            check_words(tree, path, text)
            check_columns(tree, path, prose(text.splitlines()))
            check_paths(tree, path, text)
        # clang-format, which breaks the lines of C++, does not format .td files.
        if path.suffix == ".td":
            check_columns(tree, path, enumerate(text.splitlines(), 1))
            check_labels(tree, path, text)
        # Tests of tools write documents of their own.
        if path.suffix in CODE | {".md", ".py", ".yaml", ".json", ".cmake"}:
            check_names(tree, path, text)
