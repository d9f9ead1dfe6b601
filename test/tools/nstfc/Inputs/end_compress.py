"""Ends nstfc compress in the middle of its search.

    end_compress.py OUTPUT COUNT COMMAND...     kills the command when OUTPUT.search has so many numbers
"""
import pathlib
import subprocess
import sys
import time

output, count, *command = sys.argv[1:]
search = pathlib.Path(output + ".search")
process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
while process.poll() is None:
    if search.exists() and search.read_bytes().count(b"]") >= int(count):
        process.kill()
    time.sleep(0.002)
sys.exit(0 if process.wait() < 0 else "expected to end it but it ended by itself")
