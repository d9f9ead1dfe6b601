#!/usr/bin/env python3
"""Runs commands on copies of a folder with one file in it replaced, and prints what they say.

    strange.py FOLDER COPY KIND FILE... -- COMMAND...

KIND: fifo, folder and device put that in place of each FILE in turn; a command that still waits after a minute is "blocked".
`\\x` escapes of what comes out are Python's, so that a raw escape sequence is seen as one; long lines are cut here to their
length. COMMAND names the copy.
"""
import os
import pathlib
import shutil
import subprocess
import sys

folder, copy, kind = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
files, command = sys.argv[4:sys.argv.index("--")], sys.argv[sys.argv.index("--") + 1:]
for name in files:
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy)
    (copy / name).unlink()
    if kind == "fifo":
        os.mkfifo(copy / name)
    elif kind == "folder":
        (copy / name).mkdir()
    else:
        (copy / name).symlink_to("/dev/zero")
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        print(f"{name}: status {done.returncode}, {len(done.stderr.splitlines())} line: {done.stderr.strip()}")
    except subprocess.TimeoutExpired:
        print(f"{name}: blocked")
