"""Who includes whom."""
import re

from structure.tree import CODE, TOP

MLIR, LLVM = "MLIR", "LLVM"

# folder -> what it may include: folders, MLIR and LLVM. The longest matching folder decides.
MAY_INCLUDE = {
    "support": {"support"},
    "dialects": {"dialects", MLIR, LLVM},
    "passes": {"passes", "dialects", "support", MLIR, LLVM},
    "compiler": {"compiler", "passes", "dialects", "templates", "runtime/include", "support", MLIR, LLVM},
    "runtime": {"runtime", "runtime/include", "templates", "support"},
    "runtime/include": {"runtime/include", "support"},
    "runtime/emulator": {"runtime/emulator", "runtime/include", "templates", "support", LLVM},
    "tools": {"tools", "compiler", "runtime", "runtime/include", "support", MLIR, LLVM},
    "examples": {"compiler", "runtime", "runtime/include"},
    "test": {*TOP, "runtime/include", "runtime/emulator", MLIR, LLVM},
}
# Includes of a whole folder whose inside is closed to these readers: reader prefix -> closed prefix.
CLOSED = [("runtime/core", "runtime/emulator"), ("runtime/model", "runtime/emulator"),
          ("tools/nstf-run", "runtime/emulator"), ("compiler", "runtime/emulator")]


def layer_of(include):
    """What an include belongs to: a key of MAY_INCLUDE's sets, "" for a library, None for an unknown place."""
    if re.match(r"mlir(-c)?/", include):
        return MLIR
    if re.match(r"(llvm|llvm-c|lld|clang)/", include):
        return LLVM
    if include.startswith("nstf/"):
        return "runtime/include"
    top = include.split("/")[0]
    if top in TOP:
        return "runtime/include" if include.startswith("runtime/include/") else top
    return None


def allowed_in(path):
    prefixes = [prefix for prefix in MAY_INCLUDE if str(path).startswith(prefix + "/")]
    return MAY_INCLUDE[max(prefixes, key=len)] if prefixes else None


def check_include(tree, path, number, quoted, include, allowed):
    layer = layer_of(include)
    if layer is None:
        if quoted:
            tree.error(path, number, f'expected an include from the repository\'s root but got "{include}"')
        return
    if any(str(path).startswith(reader + "/") and include.startswith(closed + "/") for reader, closed in CLOSED):
        tree.error(path, number, f'the inside of the emulator is closed to this folder, but it includes "{include}"')
    elif not any(include.startswith(entry + "/") or layer == entry for entry in allowed):
        tree.error(path, number, f'expected includes of {", ".join(sorted(allowed))} only but got "{include}"')
    elif quoted and layer not in (MLIR, LLVM) and not exists(tree, include):
        tree.error(path, number, f'there is no file "{include}"')


def exists(tree, include):
    """Also true for what the build generates: TableGen's .inc files and the headers made from templates/."""
    generated = include.endswith(".inc") or include.startswith("templates/")
    return generated or (tree.root / include).exists() or (tree.root / "runtime/include" / include).exists()


def check(tree):
    for path in tree.files:
        allowed = allowed_in(path)
        if path.suffix not in CODE | {".inc", ".def"} or allowed is None:
            continue
        for number, line in enumerate(tree.text(path).splitlines(), 1):
            match = re.match(r'\s*#?\s*include\s+(["<])([^">]+)[">]', line)
            if match:
                check_include(tree, path, number, match.group(1) == '"' and path.suffix != ".td", match.group(2), allowed)
    for path in tree.files:
        if path.parts[0] == "templates" and path.suffix in CODE | {".c", ".hpp"}:
            tree.error(path, 0, "templates holds data only")
