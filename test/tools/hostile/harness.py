"""Runs commands on inputs that nobody should accept, and says which rule a command broke.

A command ends by itself, not by a signal, within the limits; it leaves nothing in its output folder; and where it fails
it prints one line of error, which a terminal shows as it stands, and nothing on standard output."""
import dataclasses
import os
import pathlib
import re
import resource
import shutil
import subprocess
import threading

CPU_SECONDS = 10
WALL_SECONDS = 120  # a machine may be busy; what blocks for ever is found all the same
PEAK_BYTES = 2 << 30
LONGEST_LINE = 500  # of error, the path of the case aside


@dataclasses.dataclass
class Case:
    """One command. `{in}` in its arguments is the folder of its files, `{out}` a folder that should stay empty. Beside
    these a folder `given` may hold more files."""
    name: str
    command: list
    files: dict = dataclasses.field(default_factory=dict)  # path in {in} -> content
    base: str = ""        # folder whose files are in {in} too
    expect: str = "error" # error, ok, or any of the two
    stdin: bytes = b""
    limits: tuple = ()    # more resource limits
    prints: bool = False  # something on standard output before the error
    foreign: bool = False # its errors are in others' words: as many lines as they like


class Fifo:
    """A named pipe that nobody writes to."""


@dataclasses.dataclass
class Link:
    to: str


@dataclasses.dataclass
class Sparse:
    """A file of so many zeros."""
    size: int


class Folder:
    """A folder where a file should be."""


def put(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink() or path.exists():
        path.unlink()
    if isinstance(content, Fifo):
        os.mkfifo(path)
    elif isinstance(content, Link):
        path.symlink_to(content.to)
    elif isinstance(content, Sparse):
        with open(path, "wb") as file:
            file.truncate(content.size)
    elif isinstance(content, Folder):
        path.mkdir()
    elif content is not None:  # None: the file is missing
        path.write_bytes(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)


class Runner:
    def __init__(self, root, bases):
        self.root, self.bases = pathlib.Path(root), bases
        self.peak = self.longest = self.cpu = 0.0
        self.lock = threading.Lock()

    def prepare(self, case):
        folder = self.root / re.sub(r"[^\w.-]+", "_", case.name)
        given, out = folder / "in", folder / "out"
        given.mkdir(parents=True)
        out.mkdir()
        if case.base:
            for path in self.bases[case.base].rglob("*"):
                if path.is_file():
                    copy = given / path.relative_to(self.bases[case.base])
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    os.link(path, copy)
        for path, content in case.files.items():
            put(given / path, content)
        return folder, given, out

    def run(self, case):
        """The rules that were broken, as texts."""
        folder, given, out = self.prepare(case)
        # Bytes: an argument may be no UTF-8.
        command = [argument if isinstance(argument, bytes) else
                   argument.replace("{in}", str(given)).replace("{out}", str(out)).encode("utf-8", "surrogateescape")
                   for argument in case.command]

        def limit():
            for what, most in case.limits:
                resource.setrlimit(what, (most, most))

        with open(folder / "stdout", "wb") as stdout, open(folder / "stderr", "wb") as stderr:
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=stdout, stderr=stderr, cwd=folder,
                                       preexec_fn=limit if case.limits else None)
            timer = threading.Timer(WALL_SECONDS, process.kill)
            timer.start()
            try:
                process.stdin.write(case.stdin)
                process.stdin.close()
            except BrokenPipeError:
                pass
            _, status, usage = os.wait4(process.pid, 0)
            late = not timer.is_alive()
            timer.cancel()
            process.returncode = 0  # it has been waited for
        broken = self.judge(case, folder, out, status, usage, late)
        if not broken:
            shutil.rmtree(folder)
        return broken

    def judge(self, case, folder, out, status, usage, late):
        peak, cpu = usage.ru_maxrss * 1024, usage.ru_utime + usage.ru_stime
        with self.lock:
            self.peak, self.longest, self.cpu = max(self.peak, peak), max(self.longest, cpu), self.cpu + cpu
        stdout, stderr = (folder / "stdout").read_bytes(), (folder / "stderr").read_bytes()
        broken = []
        if late:
            broken.append(f"took more than {WALL_SECONDS} s")
        elif os.WIFSIGNALED(status):
            broken.append(f"ended by signal {os.WTERMSIG(status)}")
        if peak > PEAK_BYTES:
            broken.append(f"took {peak >> 20} MiB")
        if cpu > CPU_SECONDS:
            broken.append(f"took {cpu:.1f} CPU seconds")
        code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else None
        if code == 0 and case.expect == "error":
            broken.append("succeeded")
        if code and case.expect == "ok":
            broken.append(f"failed with {stderr[:300]!r}")
        if code:
            if not case.foreign:
                broken += self.judge_error(b"" if case.prints else stdout, stderr, os.fsencode(folder))
            elif b"error: " not in stderr or b"internal error" in stderr or b"Stack dump" in stderr:
                broken.append(f"expected an error but got {stderr[:300]!r}")
            left = sorted(str(path.relative_to(out)) for path in out.rglob("*"))
            left += sorted(path.name for path in folder.iterdir() if path.name not in ("in", "given", "out", "stdout", "stderr"))
            if left:
                broken.append(f"left behind {', '.join(left)}")
        elif b"internal error" in stderr:
            broken.append("reports an internal error")
        return broken

    @staticmethod
    def judge_error(stdout, stderr, folder):
        # What a tool is about to do it may say before, and where something was declared after.
        lines = [line for line in stderr.split(b"\n") if not line.startswith((b"package: ", b"device:  ")) and b": note: " not in line]
        if stdout:
            yield f"printed {stdout[:100]!r} on standard output"
        if len(lines) != 2 or lines[1] != b"" or b"error: " not in lines[0]:
            yield f"expected one line of error but got {len(lines) - 1}: {stderr[:300]!r}"
            return
        if b"internal error" in stderr or b"std::" in stderr or b"yaml-cpp" in stderr or b"json.exception" in stderr:
            yield f"not fit for a user: {stderr[:300]!r}"
        stderr = lines[0] + b"\n"
        if (length := len(stderr.replace(folder, b""))) > LONGEST_LINE:
            yield f"a line of {length} bytes: {stderr[:200]!r}"
        try:
            text = stderr[:-1].decode()
        except UnicodeDecodeError:
            yield f"no UTF-8: {stderr[:300]!r}"
            return
        if not text.isprintable():
            odd = next(character for character in text if not character.isprintable())
            yield f"a terminal obeys {odd!r}: {stderr[:300]!r}"

    def run_all(self, cases):
        """How many there were, and {name: rules broken} of those that broke one."""
        found, names = {}, set()

        def work():
            while True:
                with self.lock:
                    case = next(cases, None)
                    if case is None:
                        return
                    assert case.name not in names, case.name
                    names.add(case.name)
                broken = self.run(case)
                if broken:
                    found[case.name] = broken

        # Inputs are made one by one: all of them together are large.
        cases = iter(cases)
        threads = [threading.Thread(target=work) for _ in range(min(2, os.cpu_count() or 1))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return len(names), dict(sorted(found.items()))
