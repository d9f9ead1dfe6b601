"""One class of a name in a namespace: two different ones in one program are undefined behaviour, and no tool says so."""
import re

from structure.tree import line_of

# A line of the preprocessor, with those it goes on in: braces of macros balance nothing. Line breaks stay.
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.)*", re.MULTILINE | re.DOTALL)

# What opens or closes a scope. A class's head may have attributes, final and bases before its brace.
SCOPE = re.compile(r"\bnamespace\b(?P<namespace>[^;{}()=]*)\{|"
                   r"(?<!enum )(?<![<,]\s)(?<![<,])\b(?:class|struct|union)\b(?:\s*alignas\([^)]*\)|\s*\[\[[^\]]*\]\])*\s+(?P<class>\w+)\s*"
                   r"(?:final\s*)?(?::(?!:)[^;{}]*)?\{|[{}]")


def classes(code):
    """(qualified name, position) of each class that stands in named namespaces only."""
    scopes = []  # names of namespaces; None: the inside of anything else, or of an unnamed namespace
    for match in SCOPE.finditer(code):
        if match.group() == "}":
            if scopes:
                scopes.pop()
        elif match.group("namespace") is not None:
            name = match.group("namespace").replace("inline", "").strip()
            scopes.append(name or None)
        else:
            if match.group("class") and None not in scopes:
                yield "::".join([*scopes, match.group("class")]), match.start("class")
            scopes.append(None)


def program(path):
    """Tools, tests and examples are programs of their own, on top of what all share."""
    return path.parent if path.parts[0] in ("tools", "test", "examples") else None


def check(tree):
    places = {}  # qualified name -> (file, line), one a file
    for path in tree.of({".h", ".cpp"}):
        code = DIRECTIVE.sub(lambda match: "\n" * match.group().count("\n"), tree.code(path))
        for name, position in classes(code):
            if path not in {other for other, _ in places.setdefault(name, [])}:
                places[name].append((path, line_of(code, position)))
    for name, found in places.items():
        for number, (path, line) in enumerate(found):
            for other, its_line in found[:number]:
                if program(path) == program(other) or None in (program(path), program(other)):
                    tree.error(path, line, f"{name} is defined a second time in one program, after {other}:{its_line}")
                    break
