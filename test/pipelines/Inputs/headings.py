"""Writes the nstf-opt lines above the stages of Pipelines.cpp as scripts: headings.py ROOT FOLDER.

FOLDER gets Graph.sh for buildGraphPipeline and so on, each a command that reads IR from standard input."""
import pathlib
import re
import sys

root, folder = map(pathlib.Path, sys.argv[1:])
text = (root / "compiler/pipelines/Pipelines.cpp").read_text()
for lines, name in re.findall(r"((?:^//.*\n)+)void nstf::build(\w+)Pipeline\(", text, re.M):
    command = " ".join(line.removeprefix("//").strip() for line in lines.splitlines())
    assert command.startswith("nstf-opt "), f"{name}: expected an nstf-opt line but got {command}"
    (folder / f"{name}.sh").write_text(command + "\n")
