"""interrupt.py COMMAND...: one message for a conversation, then SIGINT while the answer grows, as its progress shows on
standard error; prints its output and status."""
import signal
import subprocess
import sys
import time

child = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
child.stdin.write(b"hi\n")
child.stdin.flush()
while b"device:" not in child.stderr.readline():
    pass
time.sleep(0.5)  # an answer that fills the context takes seconds
child.send_signal(signal.SIGINT)
output, errors = child.communicate()
print(output.decode(), errors.decode(), "status", child.returncode)
