"""status.py [--interrupt=SECONDS] STATUS COMMAND...: succeeds if the command ends with this exit status; SIGINT reaches
it after so many seconds."""
import signal
import subprocess
import sys
import time

arguments = sys.argv[1:]
seconds = float(arguments.pop(0).removeprefix("--interrupt=")) if arguments[0].startswith("--interrupt=") else None
process = subprocess.Popen(arguments[1:])
if seconds is not None:
    time.sleep(seconds)
    process.send_signal(signal.SIGINT)
got = process.wait()
if got != int(arguments[0]):
    sys.exit(f"expected exit status {arguments[0]} but got {got}")
