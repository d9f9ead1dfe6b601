"""What nstf-emu is given: launch files, code objects, arrays."""
from harness import Case
from texts import ESCAPES, FILES, YAML, YAML_VALUES

LAUNCH = """code_object: k.hsaco
target: {target}
buffers:
  x: {{type: {type}, shape: {shape}, init: {init}}}
  y: {{type: f32, shape: [{width}], init: zeros}}
launches:
  - {{kernel: {kernel}, grid: {grid}, block: {block}, args: {args}}}
outputs: {outputs}
"""
FIELDS = {"target": "gfx942", "type": "f32", "shape": "[64]", "init": "zeros", "width": "64", "kernel": "silu", "grid": "1", "block": "64", "args": "[{buffer: x}, {buffer: y}]", "outputs": "{}"}
RUN = ["nstf-emu", "run", "{in}/launch.yaml", "--timeout=5", "--report={out}/report.json"]


def launch_files():
    for name, text in YAML.items():
        yield Case(f"launch-{name}", RUN, {"launch.yaml": text}, "kernel")
    for name, content in FILES.items():
        yield Case(f"launch-file-{name}", RUN, {"launch.yaml": content}, "kernel")
    names = list(YAML_VALUES)
    for i, key in enumerate(FIELDS):
        for j in range(7):
            name = names[(i * 3 + j * 3) % len(names)]
            yield Case(f"launch-{key}-is-{name}", RUN, {"launch.yaml": LAUNCH.format(**dict(FIELDS, **{key: YAML_VALUES[name]}))}, "kernel", "any")
    for key in FIELDS:
        yield Case(f"launch-{key}-not-filled-in", RUN, {"launch.yaml": LAUNCH.format(**dict(FIELDS, **{key: "FILL_IN"}))}, "kernel")
    odd = {
        "shape": ["[4611686018427387904, 4]", "[" + "1, " * 5000 + "1]", "[1099511627776]", "[0]", "[-1]"], "init": ["{file: none.npy}", "{file: /dev/zero}", "{random: -1}", "{file: fifo}", "[1, 2]", "1e999"],
        "grid": ["4294967295", "[4294967295, 4294967295, 4294967295]", "[1, 2, 3, 4]", "0"], "block": ["1025", "0", "[1024, 1024, 1]"], "outputs": ["{x: /proc/x.npy}", "{x: none/x.npy}", "{z: z.npy}", "{x: ''}"],
        "args": ["[]", "[{buffer: z}]", "[{i32: 99999999999}]", "[{f32: x}]", "[{hex: zz}]", "[" + "{i32: 1}, " * 2000 + "]"], "kernel": ["x\\e[31m", "'*'", "s" * 100_000],
    }
    for key, values in odd.items():
        for i, value in enumerate(values):
            yield Case(f"launch-{key}-odd-{i}", RUN, {"launch.yaml": LAUNCH.format(**dict(FIELDS, **{key: value})), "fifo": FILES["fifo"]}, "kernel", "any")


def code_objects(base):
    code = (base / "k.hsaco").read_bytes()
    for name, content in FILES.items():
        for command in ("list", "disasm"):
            yield Case(f"code-{command}-{name}", ["nstf-emu", command, "{in}/k.hsaco"], {"k.hsaco": content}, prints=True)
    for name, magic in {"elf": b"\x7fELF", "bundle": b"__CLANG_OFFLOAD_BUNDLE__", "compressed": b"CCOB", "offload": b"\x10\xff\x10\xad", "text": b"; code\n"}.items():
        for size in (0, 4, 60, 4000):
            yield Case(f"code-{name}-{size}", ["nstf-emu", "list", "{in}/k.hsaco"], {"k.hsaco": magic + b"\xff" * size}, prints=True)
    for part in range(1, 16):
        yield Case(f"code-cut-{part}", ["nstf-emu", "list", "{in}/k.hsaco"], {"k.hsaco": code[:len(code) * part // 16]}, expect="any", prints=True)
    launch = LAUNCH.format(**FIELDS)
    for i in range(32):
        at = (i * 2654435761) % len(code) if i % 2 else (i * 37) % 1024 % len(code)
        changed = bytearray(code)
        changed[at] ^= (1 << i % 8) | 0x80
        yield Case(f"code-changed-{i}", RUN, {"k.hsaco": bytes(changed), "launch.yaml": launch}, "kernel", "any")


def command_lines():
    launch = {"launch.yaml": LAUNCH.format(**FIELDS)}
    values = {
        "run": {"--target": ["", "gfx1100", "x\x1b[31m"], "--check": ["", "x", "all,all", "memory,,race"], "--threads": ["0", "-1", "x", "99999999999"], "--max-steps": ["0", "-1", "x"], "--timeout": ["0", "-1", "nan", "x"],
                "--report": ["/", "{in}/none/r.json", "/proc/r"], "--print": ["", "z", "x[", "x[1:0]", "x[0:99999999999]", "x[-1:2]", "x\x1b[31m"], "--mismatches": ["0", "x"]},
        "trace": {"--launch": ["1", "-1", "x"], "--workgroup": ["1,0,0", "x", "1,2", "-1,0,0"], "--lanes": ["64", "x", "3-1", ""], "--pc": ["x", "8..4", "0x..", ".."], "--watch": ["x", "x[64]", "z[0]", "x["], "--last": ["0", "x"]},
        "list": {"--launch": ["/", "{in}/none/x.yaml", "/proc/x.yaml"], "--target": ["x", ""], "--block": ["0", "1025", "x"], "--dynamic-lds": ["65537", "-1"]},
    }
    for command, options in values.items():
        file = "{in}/k.hsaco" if command == "list" else "{in}/launch.yaml"
        for option, given in options.items():
            for i, text in enumerate(given):
                yield Case(f"emu-{command}{option}-{i}", ["nstf-emu", command, file, f"{option}={text}"], launch, "kernel", "error" if option == "--launch" and command == "list" else "any")
    for i, arguments in enumerate([[], ["x"], ["run"], ["run", ""], ["run", ESCAPES.replace("\r", "")], ["list", b"\xff\xfe"], ["disasm", "/dev/zero"], ["trace", "/"]]):
        yield Case(f"emu-{i}", ["nstf-emu", *arguments])


def cases(bases):
    yield from launch_files()
    yield from code_objects(bases["kernel"])
    yield from command_lines()
