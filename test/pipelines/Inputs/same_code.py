"""Whether folders hold the same code objects, kernel by kernel: same_code.py ROOT FOLDER FOLDER... Instructions and descriptors
are compared, by tools/scripts/compare-kernels, which leaves debug information aside."""
import importlib.machinery
import importlib.util
import pathlib
import sys

sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("compare", sys.argv[1] + "/tools/scripts/compare-kernels")
compare = importlib.util.module_from_spec(importlib.util.spec_from_loader("compare", loader))
loader.exec_module(compare)
contents = [{file.name: compare.code(file) for file in pathlib.Path(folder).glob("*.hsaco")} for folder in sys.argv[2:]]
assert len(contents[0]) == 2 and all(len(kernels) > 4 for kernels in contents[0].values()), "expected two code objects"
for folder, content in zip(sys.argv[2:], contents):
    assert content == contents[0], f"{folder} and {sys.argv[2]} differ"
