"""interrupt.py COMMAND...: one message for a conversation, and SIGINT as soon as the answer begins; prints what standard
error had, and the status."""
import os
import signal
import subprocess
import sys

child = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
child.stdin.write(b"hi\n")
child.stdin.flush()
os.read(child.stdout.fileno(), 1)
child.send_signal(signal.SIGINT)
_, errors = child.communicate()
print(errors.decode(), "status", child.returncode)
