"""What nstfc and nstf-opt are given: model folders, graphs, modules, targets, command lines."""
import json
import resource
import struct

from harness import Case, Fifo, Link
from texts import ESCAPES, FILES, JSON, JSON_VALUES, LONG, YAML, YAML_VALUES, replaced

IMPORT = ["nstfc", "{in}", "--emit=nstf", "--precision=f32"]


def folders(base):
    """Files of a Hugging Face folder, whole."""
    for name, content in FILES.items():
        yield Case(f"config-{name}", IMPORT, {"config.json": content}, "llama")
        yield Case(f"safetensors-{name}", IMPORT, {"model.safetensors": content}, "llama")
        expect = {"missing": "ok", "dangling": "any", "loop": "any"}.get(name, "error")
        if name not in ("blank", "nul", "random", "empty", "terminal", "memory"):
            yield Case(f"nstfc-tokenizer-{name}", IMPORT, {"tokenizer.json": content}, "llama", expect)
        yield Case(f"index-{name}", IMPORT, {"model.safetensors.index.json": content}, "llama", expect)
    for name, text in JSON.items():
        yield Case(f"config-json-{name}", IMPORT, {"config.json": text}, "llama")
        if name.startswith(("deep", "same")):
            yield Case(f"nstfc-tokenizer-json-{name}", IMPORT, {"tokenizer.json": text}, "llama")
        if name.startswith(("l", "n", "t")):
            yield Case(f"index-json-{name}", IMPORT, {"model.safetensors.index.json": text}, "llama")
        header = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
        if name.startswith(("d", "l", "s")):
            yield Case(f"header-json-{name}", IMPORT, {"model.safetensors": struct.pack("<Q", len(header)) + header + bytes(64)}, "llama")
    config = json.loads((base / "config.json").read_text())
    names = list(JSON_VALUES)
    for i, key in enumerate(config):
        for j in range(2):  # two for each key, so that each value meets some keys
            name = names[(i * 5 + j * 6) % len(names)]
            yield Case(f"config-{key}-{name}", IMPORT, {"config.json": replaced(config, [key], JSON_VALUES[name])}, "llama", "any")
    config["rope_scaling"] = {"rope_type": "yarn", "factor": 4.0}
    for name in ("null", "minus-one", "zero", "text", "large", "two-to-64", "long-list", "too-deep"):
        for key in ("rope_type", "factor"):
            yield Case(f"config-rope-{key}-{name}", IMPORT, {"config.json": replaced(config, ["rope_scaling", key], JSON_VALUES[name])}, "llama", "any")


def headers(base):
    """Headers of safetensors, edited."""
    data = (base / "model.safetensors").read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header, body = json.loads(data[8:8 + size]), data[8 + size:]

    def made(text):
        raw = text.encode("utf-8", "surrogatepass")
        return struct.pack("<Q", len(raw)) + raw + body

    for key in ("dtype", "shape", "data_offsets"):
        for name, value in list(JSON_VALUES.items())[len(key) % 2::2]:
            text = replaced(header, ["lm_head.weight", key], value)
            yield Case(f"header-{key}-{name}", IMPORT, {"model.safetensors": made(text)}, "llama")
    for name, value in {"overflow": [1 << 32, 1 << 32], "negative": [-54, -36], "rank": [1] * 1000 + [54, 36], "empty": [54, 0]}.items():
        yield Case(f"header-shape-{name}", IMPORT, {"model.safetensors": made(replaced(header, ["lm_head.weight", "shape"], json.dumps(value)))}, "llama")
    for name, value in {"backwards": [7776, 0], "outside": [0, 1 << 62], "three": [0, 1, 2], "inside": [4, 7780]}.items():
        yield Case(f"header-offsets-{name}", IMPORT, {"model.safetensors": made(replaced(header, ["lm_head.weight", "data_offsets"], json.dumps(value)))}, "llama")
    for name, length in {"zero": 0, "one": 1, "short": size // 2, "long": size + 1000, "all": len(data), "2-to-63": 1 << 63, "2-to-64": (1 << 64) - 1}.items():
        yield Case(f"header-length-{name}", IMPORT, {"model.safetensors": struct.pack("<Q", length) + data[8:]}, "llama")
    for part in range(1, 8):
        yield Case(f"safetensors-cut-{part}", IMPORT, {"model.safetensors": data[:len(data) * part // 8]}, "llama")
    odd = {ESCAPES: header["lm_head.weight"], **{key: value for key, value in header.items() if key != "lm_head.weight"}}
    yield Case("header-odd-name", IMPORT, {"model.safetensors": made(json.dumps(odd))}, "llama")
    many = dict(header, **{f"extra.{i}": {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]} for i in range(100_000)})
    yield Case("header-many-tensors", IMPORT, {"model.safetensors": made(json.dumps(many))}, "llama", "ok")
    for name, target in {"up": "../model.safetensors", "absolute": "/etc/passwd", "odd": ESCAPES, "long": LONG, "empty": "", "none": "none.safetensors"}.items():
        index = {"weight_map": {"lm_head.weight": target}}
        yield Case(f"index-names-{name}", IMPORT, {"model.safetensors.index.json": json.dumps(index)}, "llama")


GRAPH = """name: {name}
context: {context}
parameters:
  n: {n}
inputs:
  x: {{type: {type}, shape: [tokens, {width}]}}
weights:
  w: [{rows}, n]
repeat:
  layers: {{count: {count}, variable: l, prefix: "l{{l}}.", carry: {{h: {{first: x, next: y}}}}, nodes: {{y: {{op: silu, operands: [h]}}}}}}
nodes:
  z: {{op: {op}, operands: {operands}}}
outputs: {outputs}
"""
FIELDS = {"name": "g", "context": "8", "n": "4", "type": "f32", "width": "n", "rows": "n", "count": "2", "op": "linear", "operands": "[x, w]", "outputs": "[z]"}


def graphs():
    command = ["nstfc", "{in}/g.yaml", "--emit=nstf", "--weights=none"]
    for name, text in YAML.items():
        yield Case(f"graph-{name}", command, {"g.yaml": text})
        if not name.startswith("many"):
            if name.startswith(("deep", "a", "l")):
                yield Case(f"architecture-{name}", IMPORT + ["--architecture={in}/g.yaml"], {"g.yaml": text}, "llama")
            if name.startswith(("a", "e", "h", "l", "m", "t")):
                yield Case(f"target-{name}", IMPORT + ["--target={in}/g.yaml"], {"g.yaml": text}, "llama")
    for name, content in FILES.items():
        yield Case(f"graph-file-{name}", command, {"g.yaml": content})
        if name in ("missing", "fifo", "folder", "zeros-without-end", "huge"):
            yield Case(f"architecture-file-{name}", IMPORT + ["--architecture={in}/g.yaml"], {"g.yaml": content}, "llama")
            yield Case(f"target-file-{name}", IMPORT + ["--target={in}/g.yaml"], {"g.yaml": content}, "llama")
    names = list(YAML_VALUES)
    for i, key in enumerate(FIELDS):
        for j in range(4):
            name = names[(i * 3 + j * 4) % len(names)]
            yield Case(f"graph-{key}-is-{name}", command, {"g.yaml": GRAPH.format(**dict(FIELDS, **{key: YAML_VALUES[name]}))}, expect="any")
    for name, text in {"chain": "-".join("n" * 600), "signs": "-" * 2000 + "n", "nots": "not " * 300 + "true", "choices": "n ? n : " * 120 + "n", "by-zero": "n / 0",
                       "overflow": "n * 9223372036854775807", "least": "(0 - 9223372036854775807 - 1) / (0 - 1)", "remainder": "n % 0", "calls": "min(" * 200, "quote": "'" * 999,
                       "power": "9" * 900, "deep": "(" * 99 + "n" + ")" * 99, "odd": "n \\x1b[31m"}.items():
        yield Case(f"graph-expression-{name}", command, {"g.yaml": GRAPH.format(**dict(FIELDS, rows=f'"{text}"'))}, expect="any")
    for name, fields in {"layers": {"count": "9999"}, "too-many-layers": {"count": "10001"}, "wide": {"n": "4611686018427387904"}, "wide-product": {"n": "3037000500"},
                         "context": {"context": "9223372036854775807"}}.items():
        yield Case(f"graph-large-{name}", command, {"g.yaml": GRAPH.format(**dict(FIELDS, **fields))}, expect="any")
    interpolated = GRAPH.replace('prefix: "l{{l}}."', 'prefix: "%s"')
    for name, prefix in {"open": "{{", "empty": "{{}}", "nested": "{{" * 300 + "}}" * 300, "odd": "\\e[31m{{l}}", "long": "l" * 100_000 + "{{l}}"}.items():
        yield Case(f"graph-prefix-{name}", command, {"g.yaml": (interpolated % prefix).format(**FIELDS)}, expect="any")


WEIGHT = 'nstf.weight @w : tensor<{shape}xf32> from <"{file}", offset = {offset}, type = {type}{view}>\n'
MODULE = """nstf.graph @g(%x: tensor<?x4xf32> {nstf.name = "x"}) -> (tensor<?x4xf32> {nstf.name = "y"}) attributes {context = 8 : i64} {
  %w = nstf.get @w : tensor<4x4xf32>
  %y = nstf.linear %x, %w : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
  nstf.return %y : tensor<?x4xf32>
}
"""


def modules():
    texts = {
        "regions": "module {" * 100_000, "closed-regions": "module {" * 100_000 + "}" * 100_000, "attributes": "module attributes {a = " + "[" * 100_000,
        "types": "func.func private @f() -> " + "tuple<" * 100_000, "vectors": "func.func private @f(vector<" * 50_000, "functions": "func.func private @f(" + "(" * 100_000,
        "dictionaries": "module attributes {a = " + "{a = " * 50_000, "locations": "module {} loc(" + "callsite(" * 50_000, "fused": "module {} loc(" + "fused[" * 50_000,
        "affine": "#m = affine_map<(d0) -> (" + "d0 + " * 100_000 + "d0)>\nmodule {}", "minus": "#m = affine_map<(d0) -> (" + "-" * 100_000 + "d0)>\nmodule {}",
        "mod": "#m = affine_map<(d0) -> (" + "d0 mod " * 100_000 + "d0)>\nmodule {}", "open-string": '"' * 99_999, "comment": "// " + "{[(<" * 1000,
        "escapes": f'"{ESCAPES}"() : () -> ()'.replace("\r", ""), "long-name": f"func.func private @{LONG}(", "ill-formed-utf-8": b'"\xff\xfe"() : () -> ()',
        "nul": b"module {\0}", "bytecode": b"ML\xefR" + bytes(range(256)), "bytecode-cut": b"ML\xefR", "resources": "{-# dialect_resources: { builtin: { a: \"0x" + "f" * 99_999,
        "unknown": '"x.y"() : () -> ()', "huge-integer": "module attributes {a = " + "9" * 3000 + " : i64} {}", "huge-shape": "func.func private @f(tensor<" + "9" * 1000 + "xf32>)",
        "dense": "module attributes {a = dense<0> : tensor<4611686018427387904x4xi8>} {}", "dense-odd": "module attributes {a = dense<\"0x\"> : tensor<2xi8>} {}",
        "no-graph": "module {}", "undefined": MODULE, "arrows": "->" * 1000, "hashes": "#" * 1000, "bangs": "!" * 1000,
    }
    fine = {"no-graph", "dense", "comment", "nul"}
    for name, text in texts.items():
        yield Case(f"mlir-{name}", ["nstfc", "{in}/m.mlir", "--emit=nstf", "--weights=none"], {"m.mlir": text})
        yield Case(f"nstf-opt-{name}", ["nstf-opt", "{in}/m.mlir", "-o", "{out}/x.mlir"], {"m.mlir": text}, expect="any" if name in fine else "error", foreign=True)
    for name, content in FILES.items():
        yield Case(f"mlir-file-{name}", ["nstfc", "{in}/m.mlir", "--emit=nstf", "--weights=none"], {"m.mlir": content})
    good = {"shape": "4x4", "file": "w.bin", "offset": "0", "type": "f32", "view": ""}
    files = {"w.bin": bytes(64)}
    wrong = {"offset": [("past", "64"), ("negative", "-1"), ("huge", "9223372036854775807"), ("two-to-64", "18446744073709551616")],
             "file": [("up", "../w.bin"), ("odd", "\\1B[31m"), ("nul", "a\\00b"), ("long", "x" * 100_000), ("empty", ""), ("device", "/dev/zero"), ("folder", "/"), ("fifo", "fifo")],
             "type": [("unknown", "f12"), ("i32", "i32"), ("f64", "f64")],
             "shape": [("wide", "4611686018427387904x4"), ("none", "0x4"), ("dynamic", "?x4")],
             "view": [("strides", ", sizes = [4, 4], strides = [9223372036854775807, 9223372036854775807]"), ("negative", ", sizes = [4, 4], strides = [-1, -1]"),
                      ("rank", ", sizes = [16], strides = [1]"), ("sizes", ", sizes = [4611686018427387904, 4], strides = [0, 0]"), ("half", ", sizes = [4, 4]")]}
    for field, values in wrong.items():
        for name, value in values:
            text = WEIGHT.format(**dict(good, **{field: value})) + MODULE
            yield Case(f"mlir-weight-{field}-{name}", ["nstfc", "{in}/m.mlir", "--emit=nstf"], dict(files, **{"m.mlir": text, "fifo": Fifo()}), expect="any")
    for field, value in {"context": "0", "context ": "-1", "context  ": "9223372036854775807"}.items():
        text = WEIGHT.format(**good) + MODULE.replace("context = 8", f"{field.strip()} = {value}")
        yield Case(f"mlir-context-{value}", ["nstfc", "{in}/m.mlir", "--emit=nstf"], dict(files, **{"m.mlir": text}), expect="any")


def command_lines():
    values = {
        "--context": ["-1", "0", "x", "", "41", "9223372036854775808", "18446744073709551616", "1e3", "0x10"],
        "--max-tokens": ["-1", "41", "x", "", "9223372036854775808"],
        "--wave-size": ["-64", "63", "x", "9999999999999999999"],
        "--target": ["", "gfx9999", "x\x1b[31m", "/etc/passwd", "none.yaml", "gfx942,gfx90a", LONG[:100_000]],
        "--weights": ["", "pack ", "random", "random:", "random:-1", "random:18446744073709551616", "random:1x", "none:1"],
        "--precision": ["", "f8", "F16", "f32\x1b[31m"],
        "--emit": ["", "NSTF", "hsaco,isa", "x" * 100_000],
        "--explain": ["(", "(" * 60_000 + ")" * 60_000, "[", "a{1,99999}", "\\", "*", "x\x1b[31m("],
        "--remarks": ["(", "(" * 60_000 + ")" * 60_000, "[z-a]", "\\1"],
        "--tokenizer": ["", "x", "/", "none.json", "/dev/null", "/dev/zero.json", "x\x1b[31m.json"],
        "--architecture": ["", "/", "none.yaml", "/dev/zero", "x\x1b[31m"],
        "--verify-tokens": ["0", "-1", "x", "41", "99999999999"],
        "--verify-steps": ["", "0", "1@", "@1", "1@-1", "41", "1@40", "9999999999999999999@1", "1,,2"],
        "--verify-input": ["", "x", "=", "ids=", "ids=/dev/zero", "=x.npy", "ids=none.npy"],
        "--no-such-option": ["1"],
    }
    for option, texts in values.items():
        for i, text in enumerate(texts):
            command = ["nstfc", "{in}", "-o", "{out}/x.nstf", f"{option}={text}"]
            command += [] if option == "--target" else ["--target=gfx942"]
            command += ["--verify"] if option.startswith("--verify") else []
            yield Case(f"nstfc{option}-{i}", command, base="llama", expect="any" if text == "0x10" else "error")
    outputs = {"empty": "", "nowhere": "{out}/a/b/x.nstf", "file": "{in}/config.json", "below-a-file": "{in}/config.json/x", "root": "/", "proc": "/proc/x.nstf", "device": "/dev/full/x",
               "long": "{out}/" + "x" * 300, "odd": "{in}/none\x1b[31m/x", "model": "{in}"}
    for name, path in outputs.items():
        yield Case(f"nstfc-output-{name}", ["nstfc", "{in}", "--target=gfx942", "-o", path], base="llama")
        yield Case(f"nstfc-kernel-output-{name}", ["nstfc", "kernel", "silu", "--n=64", "--type=f32", "--max-m=4", "--target=gfx942", "-o", path] if name not in ("model", "file")
                   else ["nstfc", "kernel", "silu", "--n=64", "--target=gfx942", "-o", "{in}"], base="llama")
    yield Case("nstfc-file-size", ["nstfc", "{in}", "--target=gfx942", "--emit=nstf", "-o", "{out}/x.mlir"], base="llama", limits=((resource.RLIMIT_FSIZE, 1000),))
    for name, argument in {"odd": "x\x1b[31m", "ill-formed": b"\xff\xfe", "long": "x" * 100_000, "device": "/dev/null", "fifo": "{in}/fifo", "yaml-fifo": "{in}/fifo.yaml", "empty": "",
                           "root": "/", "executable": "/bin/true"}.items():
        yield Case(f"nstfc-model-{name}", ["nstfc", argument, "--emit=nstf"], {"fifo": Fifo(), "fifo.yaml": Fifo(), "link": Link("/dev/zero")})
    yield from kernels()


def kernels():
    options = {
        "--m": ["0", "-1", "x", "", "2147483648", "9223372036854775808", "1.5", "4294967297"], "--n": ["0", "-4", "9999999999999", "18446744073709551616"],
        "--k": ["0", "x", "1000000000000"], "--type": ["f8", "", "x\x1b[31m", "f32,f16"], "--set": ["", "BM", "BM=", "BM=0", "BM=99999", "=1", "BM=1=2", "x\x1b[31m=4", "NOPE=4"],
        "--name": ["", "a b", "1a", "a;b", "x\x1b[31m", "int", "é", "x" * 5000], "--target": ["", "gfx9999"], "--wave-size": ["63", "x"], "--header": ["/", "{in}/none/x.h", ""], "--emit": ["x", "hsaco"],
        "--explain": ["(" * 1001], "--max-m": ["0", "9223372036854775808"], "--nope": ["1"],
    }
    fixed = {"--m": "4", "--n": "64", "--k": "64", "--type": "f16", "--target": "gfx942"}
    for option, texts in options.items():
        for i, text in enumerate(texts):
            given = {name: value for name, value in fixed.items() if name != option and not (option == "--max-m" and name == "--m")}
            yield Case(f"kernel{option}-{i}", ["nstfc", "kernel", "matmul", "-o", "{out}/x.hsaco", f"{option}={text}", *[f"{name}={value}" for name, value in given.items()]], expect="any")
    for i, name in enumerate(["", "nope", "x\x1b[31m", "matmul.yaml", "../matmul", "x" * 100_000]):
        yield Case(f"kernel-name-{i}", ["nstfc", "kernel", name, "-o", "{out}/x.hsaco"])


def cases(bases):
    yield from folders(bases["llama"])
    yield from headers(bases["llama"])
    yield from graphs()
    yield from modules()
    yield from command_lines()
