"""The files of a source tree and what was found wrong with them."""
import functools
import re

TOP = ["support", "dialects", "passes", "compiler", "runtime", "templates", "test", "tools", "examples"]
CODE = {".h", ".cpp", ".td"}
CPLUSPLUS = {".h", ".cpp", ".c", ".hip"}

# What is no code in C++: comments, raw strings, strings, characters (a ' between digits is none).
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|\bR"(?P<mark>[^(\s"]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|'
                     r"(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'", re.DOTALL)


class Tree:
    def __init__(self, root):
        self.root, self.errors, self.warnings = root, [], []
        every = sorted(self.walk(root))
        self.inputs = [path for path in every if "Inputs" in path.parts]
        self.files = [path for path in every if "Inputs" not in path.parts]
        self.known = set(self.files)

    def walk(self, folder):
        """Every file below, as a path relative to the root."""
        for path in folder.iterdir():
            name = path.name
            if path.is_dir():
                if not (name.startswith((".git", ".cache", "build", "__pycache__")) or name.endswith(".nstf")):
                    yield from self.walk(path)
            elif not path.is_symlink():
                yield path.relative_to(self.root)

    def error(self, path, line, message):
        self.errors.append(f"{path}:{line}: {message}" if line else f"{path}: {message}")

    @functools.cache
    def text(self, path):
        """The file's text, or None when it holds something else."""
        raw = (self.root / path).read_bytes()
        if b"\0" in raw[:4096]:
            return None
        try:
            return raw.decode()
        except UnicodeDecodeError:
            return None

    @functools.cache
    def code(self, path):
        """A C++ file's text without comments and with empty strings, each line where it was."""
        def blank(match):
            word = match.group()
            return ('""' if word[0] in '"R' else "") + "\n" * word.count("\n")
        return NO_CODE.sub(blank, self.text(path) or "")

    def of(self, suffixes):
        return [path for path in self.files if path.suffix in suffixes]


def line_of(text, position):
    return text.count("\n", 0, position) + 1
