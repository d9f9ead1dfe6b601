"""Who includes whom: the tables of the READMEs, and no circles.

A README may have a table with the columns `folder` and `may include`. A row speaks for a folder below the README's own; the
nearest table above a file that has a row for it says all that the file may include besides its own folder:

    | folder | may include |
    |---|---|
    | `decode` | `memory`, `support`, LLVM |
    | `checks` | all above, `templates` |
    | `hip_api` | all above but `launch` |

Names are folders beside it, or paths from the root; MLIR and LLVM are the libraries. A row says no more than the row of the
next table above allows.
"""
import collections
import os
import pathlib
import re

from structure.tree import CODE, TOP

MLIR, LLVM = "MLIR", "LLVM"
INCLUDE = re.compile(r'^[ \t]*#?[ \t]*include[ \t]+(["<])([^">\n]+)[">]', re.MULTILINE)


def is_in(path, folder):
    return path == folder or path.startswith(folder + "/")


class Table:
    """The rows of one README."""

    def __init__(self, tree, readme):
        self.readme, self.base = readme, readme.parent
        self.rows = {}  # folder -> (line, what it may include)
        columns = None
        for number, line in enumerate(tree.text(readme).splitlines(), 1):
            cells = [cell.strip() for cell in line.strip()[1:-1].split("|")] if line.startswith("|") else None
            if cells is None:
                columns = None
            elif columns is None:
                columns = cells
            elif "may include" in columns and not line.startswith("|-") and len(cells) == len(columns):
                self.add(tree, number, cells[0], cells[columns.index("may include")])

    def add(self, tree, number, folder, text):
        name = self.resolve(tree, folder.strip("`"))
        if name is None:
            tree.error(self.readme, number, f"there is no folder {folder}")
            return
        excluded = set()
        if " but " in text:
            text, exception = text.split(" but ")
            excluded = {self.resolve(tree, word) for word in re.findall(r"`([^`]+)`", exception)}
        entries = set(re.findall(r"\b(?:MLIR|LLVM)\b", text))
        if "all above" in text:
            entries |= set(self.rows)
        elif re.search(r"\ball\b", text):
            entries |= {*TOP, MLIR, LLVM}
        for word in re.findall(r"`([^`]+)`", text):
            if (entry := self.resolve(tree, word)) is None:
                tree.error(self.readme, number, f"there is no folder {word}")
            else:
                entries.add(entry)
        self.rows[name] = (number, entries - excluded)

    def resolve(self, tree, name):
        """A folder beside the row's, or a path from the root."""
        for candidate in (self.base / name, pathlib.Path(name)):
            if (tree.root / candidate).is_dir():
                return str(candidate)
        return None

    def row(self, folder):
        """The longest row that speaks for a folder: its name, or None."""
        return max((name for name in self.rows if is_in(folder, name)), key=len, default=None)


def read_tables(tree):
    """By folder, each table that has rows."""
    tables = (Table(tree, path) for path in tree.files if path.name == "README.md" and "may include" in tree.text(path))
    return {table.base: table for table in tables if table.rows}


def rule_of(tables, folder):
    """The nearest row for a folder: what it may include and where that is said, or None."""
    for above in [folder, *folder.parents]:
        if above in tables and (name := tables[above].row(str(folder))):
            return name, tables[above]
    return None


def check_tables(tree, tables):
    """No row allows more than the one above it."""
    for table in tables.values():
        for name, (number, entries) in table.rows.items():
            above = rule_of(tables, table.base) if table.base.name else None
            if above is None:
                continue
            upper, its_table = above
            allowed = its_table.rows[upper][1] | {upper}
            for entry in sorted(entries):
                if not any(is_in(entry, wide) for wide in allowed):
                    tree.error(table.readme, number, f"{name} may include {entry}, but {its_table.readme} doesn't allow {upper} that")


def check_missing(tree, tables, edges):
    """A folder between whose parts includes go says which may."""
    missing = {}
    for (source, target), (path, _, include) in sorted(edges.items()):
        common = pathlib.Path(*os.path.commonprefix([source.split("/"), target.split("/")]))
        # Tests mirror the tree; between a folder and its own parts no table stands.
        if common.parts[:1] not in ((), ("test",)) and common not in tables and str(common) not in (source, target):
            missing.setdefault(common, f'{path} includes "{include}"')
    for common, example in missing.items():
        tree.error(common / "README.md", 0, f"expected a table of what each folder may include: {example}")


def folder_of(tree, include):
    """The folder that an include names, or its library; "" for another library, None for an unknown place."""
    if re.match(r"mlir(-c)?/", include):
        return MLIR
    if re.match(r"(llvm|llvm-c|lld|clang)/", include):
        return LLVM
    if include.startswith("nstf/"):
        include = "runtime/include/" + include
    return str(pathlib.PurePosixPath(include).parent) if include.split("/")[0] in TOP else None


def exists(tree, include):
    """Also true for what the build generates: TableGen's .inc files and the headers made from templates/."""
    generated = include.endswith(".inc") or include.startswith("templates/")
    return generated or (tree.root / include).exists() or (tree.root / "runtime/include" / include).exists()


def check_include(tree, tables, path, number, quoted, include):
    """The folder it goes to, if that is another one of the tree."""
    target = folder_of(tree, include)
    if target is None:
        if quoted:
            tree.error(path, number, f'expected an include from the repository\'s root but got "{include}"')
        return None
    rule = rule_of(tables, path.parent)
    if rule and not is_in(target, rule[0]):
        name, table = rule
        if not any(is_in(target, entry) for entry in table.rows[name][1]):
            entries = ", ".join(sorted(table.rows[name][1])) or "nothing else"
            tree.error(path, number, f'{name} may include {entries} ({table.readme}), but this is "{include}"')
            return target
    if quoted and target not in (MLIR, LLVM) and not exists(tree, include):
        tree.error(path, number, f'there is no file "{include}"')
    return target


def check_cycles(tree, edges):
    """One error for each set of folders that include one another, with an include for each step of a circle. That a part
    of a folder includes what the folder itself holds closes none; tests share what they need with one another."""
    following = collections.defaultdict(set)
    for source, target in edges:
        if not is_in(source, target) and not is_in(source, "test"):
            following[source].add(target)

    def way(begin, end):
        """The shortest way from one folder to another."""
        ways = collections.deque([[begin]])
        seen = {begin}
        while ways:
            so_far = ways.popleft()
            for target in sorted(following[so_far[-1]] - seen):
                if target == end:
                    return so_far + [target]
                seen.add(target)
                ways.append(so_far + [target])
        return None

    reported = set()
    for source, target in sorted(edges):
        if target not in following[source] or source in reported or not (back := way(target, source)):
            continue
        circle = [source, *back]
        reported |= set(circle)
        steps = [edges[step] for step in zip(circle, circle[1:])]
        places = ", ".join(f'{path}:{number} includes "{include}"' for path, number, include in steps)
        tree.error(source, 0, f"folders include one another: {' -> '.join(circle)} ({places})")


def check(tree):
    tables = read_tables(tree)
    check_tables(tree, tables)
    edges = {}  # (folder, folder) -> the first include that goes there
    for path in tree.files:
        if path.suffix not in CODE | {".inc", ".def"}:
            continue
        text = tree.text(path)
        for match in INCLUDE.finditer(text):
            number = text.count("\n", 0, match.start(2)) + 1
            quoted = match.group(1) == '"' and path.suffix != ".td"
            target = check_include(tree, tables, path, number, quoted, match.group(2))
            if target and target not in (MLIR, LLVM, str(path.parent)):
                edges.setdefault((str(path.parent), target), (path, number, match.group(2)))
    check_missing(tree, tables, edges)
    check_cycles(tree, edges)
    for path in tree.files:
        if path.parts[0] == "templates" and path.suffix in CODE | {".c", ".hpp"}:
            tree.error(path, 0, "templates holds data only")
