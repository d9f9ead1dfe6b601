#!/usr/bin/env python3
"""Runs run.py with Triton from PyPI.

    with_triton.py ARGUMENTS OF run.py

Triton (190 MB) and numpy are fetched once, into $XDG_CACHE_HOME/nstf or ~/.cache/nstf, never into the repository. Exit status
77 and one line of reason where PyPI is not reachable or has no Triton for this machine. What Triton compiles is kept in the
build folder (the library's).
"""
import os
import pathlib
import subprocess
import sys
import tempfile

PACKAGES = ["triton==3.6.0", "numpy<3"]


def main():
    home = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    folder = home / "nstf" / f"{PACKAGES[0].replace('==', '-')}-{sys.implementation.cache_tag}"
    if not folder.exists():
        fetch(folder)
    library = pathlib.Path(sys.argv[sys.argv.index("--library") + 1])
    environment = dict(os.environ, PYTHONPATH=str(folder), PYTHONDONTWRITEBYTECODE="1",
                       TRITON_CACHE_DIR=str(library.resolve().parents[2] / "triton-cache"))
    run = pathlib.Path(__file__).with_name("run.py")
    os.execve(sys.executable, [sys.executable, str(run)] + sys.argv[1:], environment)


def fetch(folder):
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
        target = pathlib.Path(temporary) / "packages"
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout",
                   "30", "--only-binary", ":all:", "--target", str(target), *PACKAGES]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode != 0:
            reason = (run.stderr.strip().splitlines() or ["pip failed"])[-1]
            print(f"skipped: {PACKAGES[0]} cannot be had from PyPI: {reason}")
            sys.exit(77)
        if not folder.exists():  # another test may have been quicker
            target.rename(folder)


if __name__ == "__main__":
    main()
