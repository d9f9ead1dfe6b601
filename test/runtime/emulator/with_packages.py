#!/usr/bin/env python3
"""Runs a Python script with packages from PyPI.

    with_packages.py NAME==VERSION … -- SCRIPT ARGUMENTS

The packages, without what they depend on, are fetched once into $XDG_CACHE_HOME/nstf or ~/.cache/nstf, never into the
repository. Exit status 77 and one line of reason where PyPI is not reachable or has none for this machine: a skipped test.
"""
import os
import pathlib
import subprocess
import sys
import tempfile


def main():
    end = sys.argv.index("--")
    packages, command = sys.argv[1:end], sys.argv[end + 1 :]
    home = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    folders = [home / "nstf" / f"{package.replace('==', '-')}-{sys.implementation.cache_tag}" for package in packages]
    for package, folder in zip(packages, folders):
        if not folder.exists():
            fetch(package, folder)
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(map(str, folders)), PYTHONDONTWRITEBYTECODE="1")
    os.execve(sys.executable, [sys.executable, *command], environment)


def fetch(package, folder):
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
        target = pathlib.Path(temporary) / "packages"
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout",
                   "30", "--only-binary", ":all:", "--no-deps", "--target", str(target), package]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode != 0:
            reason = (run.stderr.strip().splitlines() or ["pip failed"])[-1]
            print(f"skipped: {package} cannot be had from PyPI: {reason}")
            sys.exit(77)
        if not folder.exists():  # another test may have been quicker
            target.rename(folder)


if __name__ == "__main__":
    main()
