"""terminal.py COMMAND...: runs it with standard error on a terminal of its own, and prints what came there, line ends and
control sequences spelled out."""
import os
import pty
import subprocess
import sys


def read_all(terminal, look=lambda piece: None):
    """What comes at a terminal until its other side is closed; `look` is shown each piece as it comes."""
    text = b""
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # how the end of a terminal shows
            return text
        if not piece:
            return text
        text += piece
        look(piece)


if __name__ == "__main__":
    ours, theirs = pty.openpty()
    child = subprocess.Popen(sys.argv[1:], stderr=theirs, stdout=subprocess.DEVNULL)
    os.close(theirs)
    print(read_all(ours).decode().replace("\r", "<return>\n").replace("\033[K", "<erase>"))
    sys.exit(child.wait())
