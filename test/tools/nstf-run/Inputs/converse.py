"""converse.py FILE MESSAGE... -- COMMAND...: runs the command with a terminal of its own and its standard output in FILE.

Each "> " or "… " of the command's is answered with the next message and, when there are no more, with Ctrl-D; the message "^C" is
that key. Prints what the terminal showed, and ends with the command's status.
"""
import fcntl
import os
import pathlib
import pty
import subprocess
import sys
import termios

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import terminal  # noqa: E402

end = sys.argv.index("--")
messages, command = sys.argv[2:end], sys.argv[end + 1:]
ours, theirs = pty.openpty()
with open(sys.argv[1], "wb") as output:
    child = subprocess.Popen(command, stdin=theirs, stderr=theirs, stdout=output, start_new_session=True,
                             preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
os.close(theirs)
seen = b""


def answer(piece):
    global seen
    seen += piece
    if seen.endswith((b"> ", "… ".encode())):
        message = messages.pop(0) if messages else None
        keys = b"\x04" if message is None else b"\x03" if message == "^C" else message.encode() + b"\n"
        os.write(ours, keys)
        seen = b""


print(terminal.read_all(ours, answer).decode(errors="replace").replace("\r\n", "\n"))
sys.exit(child.wait())
