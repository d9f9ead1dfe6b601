"""terminal.py COMMAND...: runs it with standard error on a terminal of its own, and prints what came there, line ends and
control sequences spelled out."""
import os
import pty
import subprocess
import sys

ours, theirs = pty.openpty()
child = subprocess.Popen(sys.argv[1:], stderr=theirs, stdout=subprocess.DEVNULL)
os.close(theirs)
text = b""
while True:
    try:
        piece = os.read(ours, 4096)
    except OSError:  # how the end of a terminal shows
        break
    if not piece:
        break
    text += piece
print(text.decode().replace("\r", "<return>\n").replace("\033[K", "<erase>"))
sys.exit(child.wait())
