"""Small checkpoints with linears in codes, by the documented layouts of compressed-tensors, AWQ, GPTQ and fp8, and the check of what
a package made of them, number by number.

    quantized_checkpoints.py make FOLDER METHOD [FAULT]
    quantized_checkpoints.py check FOLDER PACKAGE

No NumPy, and nothing of the compiler: an independent reading of the formats.
"""
import dataclasses
import json
import pathlib
import random
import struct
import sys

VOCABULARY, GROUP = 40, 32
AWQ_ORDER = (0, 2, 4, 6, 1, 3, 5, 7)


@dataclasses.dataclass(frozen=True)
class Method:
    """How the linears of a checkpoint are stored."""
    layout: str
    bits: int = 8
    group: int = 0  # 0: the row
    zeros: bool = False
    scale_rows: int = 1  # rows that share a scale, 0: all
    scale_type: str = "F16"
    unit: float = 2**-12  # scales are small multiples of it
    ordered: bool = False  # inputs of a group are not neighbours
    sizes: tuple = (64, 96, 32)  # hidden, intermediate, keys
    left: str = "lm_head"  # what stays numbers
    zero: int | None = None  # all zeros are this
    said: str = ""  # checkpoint_format, where that is not the layout

    def shapes(self):
        hidden, intermediate, keys = self.sizes
        return {"self_attn.q_proj": (hidden, hidden), "self_attn.k_proj": (keys, hidden), "self_attn.v_proj": (keys, hidden),
                "self_attn.o_proj": (hidden, hidden), "mlp.gate_proj": (intermediate, hidden), "mlp.up_proj": (intermediate, hidden),
                "mlp.down_proj": (hidden, intermediate)}

    @property
    def is_float(self):
        return self.layout.startswith("float")


FOUR = {"bits": 4, "group": GROUP, "zeros": True}
FLOAT = {"layout": "float", "scale_type": "F32", "unit": 0.7e-7}  # scales that f16 does not hold
METHODS = {
    "pack4": Method("pack", **FOUR), "pack4_bf16": Method("pack", **FOUR, scale_type="BF16"),
    "pack4_f32": Method("pack", **FOUR, scale_type="F32"), "pack4_small": Method("pack", **FOUR, scale_type="BF16", unit=2**-30),
    "pack5": Method("pack", 5, GROUP, True), "loose5": Method("loose", 5, GROUP, True), "pack6": Method("pack", 6),
    "loose6": Method("loose", 6, GROUP, True), "pack8": Method("pack", 8, GROUP, True), "int8": Method("bytes"),
    "int8_f32": Method("bytes", scale_type="F32", unit=0.7e-4), "int8_tensor": Method("bytes", zeros=True, scale_rows=0),
    "int8_blocks": Method("bytes", group=GROUP, scale_rows=48), "awq": Method("awq", **FOUR),
    "awq_part": Method("awq", **FOUR, left="self_attn"), "gptq": Method("gptq", **FOUR), "gptq_v2": Method("gptq_v2", **FOUR),
    "gptq_as_v2": Method("gptq", **FOUR, zero=8, said="gptq_v2"), "gptq_v2_as_gptq": Method("gptq_v2", **FOUR, zero=8, said="gptq"),
    "gptq8_v2_as_gptq": Method("gptq_v2", 8, GROUP, True, zero=128, said="gptq"), "gptq_symmetric": Method("gptq", **FOUR, zero=8),
    "gptq_nines": Method("gptq", **FOUR, zero=9),  # not symmetric, and stored as symmetric ones of gptq_v2
    "gptq8": Method("gptq", 8, GROUP, True), "gptq_ordered": Method("gptq", **FOUR, ordered=True),
    "pack_ordered": Method("pack", 6, GROUP, True, ordered=True),
    "numbers": Method("numbers", **FOUR, ordered=True),  # of gptq_ordered
    "float8": Method(**FLOAT), "float8_rows": Method(**FLOAT), "float8_tensor": Method(**FLOAT, scale_rows=0),
    "fp8_blocks": Method(**FLOAT | {"layout": "float_blocks"}, group=GROUP, scale_rows=48),
    "fp8_blocks128": Method(**FLOAT | {"layout": "float_blocks"}, group=128, scale_rows=128, sizes=(192, 160, 96))}


def round_to(kind, value):
    letter = {"F16": "e", "F32": "f", "BF16": "f"}[kind]  # all of bf16 have few bits
    return struct.unpack(letter, struct.pack(letter, value))[0]


def float8(code, bias):
    exponent, mantissa = code >> 3 & 15, code & 7
    value = (8 + mantissa) * 2.0 ** (exponent - bias - 3) if exponent else mantissa * 2.0 ** (-2 - bias)
    return -value if code & 0x80 else value


class Matrix:
    """Codes, scales and zeros of a linear; the same for one format, whatever the layout."""

    def __init__(self, name, method):
        self.rows, self.columns = method.shapes()[name]
        self.bits, self.group, self.scale_rows = method.bits, method.group or self.columns, method.scale_rows or self.rows
        self.is_float = method.is_float
        self.groups = [k // self.group for k in range(self.columns)]
        if method.ordered:  # inputs that read the same have the same order
            random.Random(f"order {self.columns} {name == 'self_attn.o_proj'}").shuffle(self.groups)
        draw = random.Random(f"{name} {method.bits} {method.group} {method.zeros}")
        groups, heights = -(-self.columns // self.group), -(-self.rows // self.scale_rows)
        known = [code for code in range(1 << self.bits) if not self.is_float or code & 0x7F != 0x7F]
        self.codes = [[draw.choice(known) for _ in range(self.columns)] for _ in range(self.rows)]
        self.scales = [[round_to(method.scale_type, draw.randrange(1, 64) * method.unit) for _ in range(groups)] for _ in range(heights)]
        self.zeros = [[draw.randrange(1 << self.bits) if method.zeros else 1 << self.bits - 1 for _ in range(groups)]
                      for _ in range(heights)]
        if method.zero is not None:
            self.zeros = [[method.zero] * groups for _ in range(heights)]

    def value(self, n, k):
        i, g = n // self.scale_rows, self.groups[k]
        number = float8(self.codes[n][k], 7) if self.is_float else self.codes[n][k] - self.zeros[i][g]
        return self.scales[i][g] * number


def dense(codes, bits):
    """Words whose bits are all used, low bits first."""
    whole = sum(code << i * bits for i, code in enumerate(codes))
    return [whole >> 32 * i & 0xFFFFFFFF for i in range((len(codes) * bits + 31) // 32)]


def loose(codes, bits):
    per = 32 // bits
    return [sum(code << i * bits for i, code in enumerate(codes[at:at + per])) for at in range(0, len(codes), per)]


def transpose(rows):
    return [list(column) for column in zip(*rows)]


def tensors_of(module, matrix, method):
    """name: (type, rows)"""
    layout, bits, kind = method.layout, matrix.bits, method.scale_type
    if method.is_float:
        scale = ".weight_scale_inv" if layout == "float_blocks" else ".weight_scale"
        return {module + ".weight": ("F8_E4M3", matrix.codes), module + scale: (kind, matrix.scales)}
    if layout == "numbers" or method.left in module:
        return {module + ".weight": ("F32", [[matrix.value(n, k) for k in range(matrix.columns)] for n in range(matrix.rows)])}
    if layout == "bytes":
        middle = 1 << bits - 1
        found = {module + ".weight": ("I8", [[code - middle for code in row] for row in matrix.codes]),
                 module + ".weight_scale": (kind, matrix.scales)}
        if method.zeros:
            found[module + ".weight_zero_point"] = ("I8", [[zero - middle for zero in row] for row in matrix.zeros])
        return found
    if layout in ("pack", "loose"):
        pack = loose if layout == "loose" else dense
        found = {module + ".weight_packed": ("I32", [pack(row, bits) for row in matrix.codes]),
                 module + ".weight_scale": (kind, matrix.scales),
                 module + ".weight_shape": ("I64", [[matrix.rows, matrix.columns]])}
        if method.zeros:
            columns = [pack(column, bits) for column in transpose(matrix.zeros)]
            found[module + ".weight_zero_point"] = ("I32", transpose(columns))
        if method.ordered:
            found[module + ".weight_g_idx"] = ("I32", [matrix.groups])
        return found
    stored = transpose(matrix.zeros)
    scales = (kind, transpose(matrix.scales))
    if layout == "awq":
        def shuffle(row):
            return [word for at in range(0, len(row), 8) for word in dense([row[at + i] for i in AWQ_ORDER], 4)]
        return {module + ".qweight": ("I32", [shuffle(row) for row in transpose(matrix.codes)]),
                module + ".qzeros": ("I32", [shuffle(row) for row in stored]), module + ".scales": scales}
    less = 0 if layout == "gptq_v2" else 1
    stored = [[zero - less & (1 << bits) - 1 for zero in row] for row in stored]
    return {module + ".qweight": ("I32", transpose([dense(row, bits) for row in matrix.codes])),
            module + ".qzeros": ("I32", [dense(row, bits) for row in stored]), module + ".scales": scales,
            module + ".g_idx": ("I32", [matrix.groups])}


def quantization(name):
    method = METHODS[name]
    if method.layout == "awq":
        return {"quant_method": "awq", "bits": method.bits, "group_size": method.group, "zero_point": True, "version": "gemm",
                "modules_to_not_convert": ["lm_head", method.left]}
    if method.layout.startswith("gptq"):
        return {"quant_method": "gptq", "bits": method.bits, "group_size": method.group, "desc_act": method.ordered,
                "sym": method.zero == 1 << method.bits - 1, "checkpoint_format": method.said or method.layout}
    if method.layout == "float_blocks":
        return {"quant_method": "fp8", "fmt": "e4m3", "activation_scheme": "dynamic",
                "weight_block_size": [method.scale_rows, method.group]}
    by = {0: "tensor", 1: "group" if method.group else "channel"}
    weights = {"num_bits": method.bits, "type": "float" if method.is_float else "int", "symmetric": not method.zeros,
               "strategy": by.get(method.scale_rows, "block"), "group_size": method.group or None}
    if weights["strategy"] == "block":
        weights["block_structure"] = [method.scale_rows, method.group]
    formats = {"float": "float-quantized", "bytes": "int-quantized"}
    inputs = dict(weights, strategy="token", dynamic=True) if name == "float8_rows" else None
    return {"quant_method": "compressed-tensors", "format": formats.get(method.layout, "pack-quantized"),
            "config_groups": {"group_0": {"targets": ["re:.*_proj"], "weights": weights, "input_activations": inputs}},
            "ignore": ["lm_head"]}


def pack(kind, rows):
    flat = [value for row in rows for value in row]
    if kind == "BF16":
        return b"".join(struct.pack("<f", value)[2:] for value in flat)
    letter = {"F16": "e", "F32": "f", "I8": "b", "I32": "I", "I64": "q", "F8_E4M3": "B"}[kind]
    return struct.pack(f"<{len(flat)}{letter}", *flat)


def spoil(fault, tensors, config):
    first = "model.layers.0.self_attn.q_proj"
    quantization = config.get("quantization_config", {})
    groups = quantization.get("config_groups", {})
    weights = groups.get("group_0", {}).get("weights", {})
    inputs = dict(weights, strategy="tensor", dynamic=False)
    if fault == "no-scale":
        del tensors[first + ".weight_scale"]
    elif fault == "scale-shape":
        tensors[first + ".weight_scale"] = ("F16", [row[:1] for row in tensors[first + ".weight_scale"][1]])
    elif fault == "short":
        tensors[first + ".weight_packed"] = ("I32", [row[:-1] for row in tensors[first + ".weight_packed"][1]])
    elif fault in ("nan", "inf"):
        tensors[first + ".weight_scale"][1][2][1] = float(fault)
    elif fault == "nan-number":
        tensors[first + ".weight"][1][2][1] = float("nan")
    elif fault == "g_idx":
        tensors[first + ".g_idx"][1][0][5] = 7
    elif fault == "act-order":
        tensors[first + ".g_idx"][1][0][5] = 1
    elif fault == "ocp-nan":
        tensors[first + ".weight"][1][2][1] = 0xFF
    elif fault == "fmt":
        quantization["fmt"] = "e5m2"
    elif fault == "bits":
        weights["num_bits"] = 3
    elif fault == "group0":
        weights["group_size"] = 0
    elif fault == "large-group":
        weights["group_size"] = 128
    elif fault == "static":
        groups["group_0"]["input_activations"] = inputs
    elif fault == "by-group":
        groups["group_0"]["input_activations"] = dict(inputs, strategy="group", dynamic=True)
    elif fault == "two-groups":
        groups["group_0"]["input_activations"] = inputs
        groups["group_1"] = {"targets": ["Linear"], "weights": weights, "input_activations": None}
    elif fault == "text-blocks":
        weights["block_structure"] = "48x32"
    elif fault == "no-blocks":
        weights["block_structure"] = "48x0"
    elif fault == "num-bits":
        groups["group_0"]["input_activations"] = dict(inputs, num_bits="eight")
    elif fault == "method":
        quantization["quant_method"] = "bitsandbytes"
    else:
        sys.exit(f"unknown fault {fault}")


def make(folder, name, fault=None):
    method = METHODS[name]
    hidden, intermediate, keys = method.sizes
    draw = random.Random(7)

    def numbers(*shape):
        return "F32", [[draw.uniform(-0.5, 0.5) for _ in range(shape[-1])] for _ in range(shape[0] if len(shape) > 1 else 1)]

    tensors = {"model.embed_tokens.weight": numbers(VOCABULARY, hidden), "lm_head.weight": numbers(VOCABULARY, hidden)}
    vectors = ["model.norm.weight"] + [f"model.layers.0.{norm}_layernorm.weight" for norm in ("input", "post_attention")]
    for vector in vectors:
        tensors[vector] = numbers(hidden)
    for linear in method.shapes():
        tensors.update(tensors_of("model.layers.0." + linear, Matrix(linear, method), method))
    config = {"architectures": ["LlamaForCausalLM"], "hidden_size": hidden, "intermediate_size": intermediate,
              "num_hidden_layers": 1, "num_attention_heads": hidden // keys, "num_key_value_heads": 1, "vocab_size": VOCABULARY,
              "max_position_embeddings": 32, "rms_norm_eps": 1e-5, "torch_dtype": "bfloat16",
              "quantization_config": quantization(name)}
    if name == "numbers":
        del config["quantization_config"]
    if fault:
        spoil(fault, tensors, config)
    header, data = {}, b""
    for tensor, (kind, rows) in tensors.items():
        content = pack(kind, rows)
        shape = [len(rows[0])] if tensor in vectors or tensor.endswith(("g_idx", "weight_shape")) else [len(rows), len(rows[0])]
        header[tensor] = {"dtype": kind, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    folder.mkdir(parents=True)
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)
    config["nstf_test_method"] = name
    (folder / "config.json").write_text(json.dumps(config))


def read_package(package):
    content = (package / "weights.safetensors").read_bytes()
    start = 8 + struct.unpack("<Q", content[:8])[0]
    tensors = {}
    for name, entry in json.loads(content[8:start]).items():
        if "data_offsets" in entry and entry["dtype"] in ("F16", "F32", "I8", "I32", "F8_E4M3FNUZ") and len(entry["shape"]) == 2:
            begin, end = entry["data_offsets"]
            letter, size = {"F16": ("e", 2), "F32": ("f", 4), "I8": ("b", 1), "I32": ("I", 4), "F8_E4M3FNUZ": ("B", 1)}[entry["dtype"]]
            flat = struct.unpack(f"<{(end - begin) // size}{letter}", content[start + begin:start + end])
            width = entry["shape"][1]
            tensors[name] = [flat[at:at + width] for at in range(0, len(flat), width)]
    return tensors


def field(words, bits, index):
    """Code `index` of a row of words: two neighbours lie in the halves (#nstf.int)."""
    place = index % (32 // bits)
    return words[index // (32 // bits)] >> place // 2 * bits + place % 2 * 16 & (1 << bits) - 1


def check(folder, package):
    name = json.loads((folder / "config.json").read_text())["nstf_test_method"]
    method, tensors, count = METHODS[name], read_package(package), 0
    bits, per = method.bits, 32 // method.bits
    for linear in method.shapes():
        want, weight = Matrix(linear, method), f"model.layers.0.{linear}.weight."
        if method.left in linear:
            assert weight + "codes" not in tensors, linear
            continue
        codes, high = tensors[weight + "codes"], tensors.get(weight + "high")
        order = tensors[weight + "order"][0] if method.ordered else range(want.columns)
        assert sorted(order) == list(range(want.columns)), order
        for n in range(want.rows):
            for k in range(want.columns):
                g = k // want.group
                if method.is_float:
                    assert codes[n][k] != 0x80, (linear, n, k)
                    number = float8(codes[n][k], 8)
                else:
                    code = codes[n][k] + 128 if bits == 8 else field(codes[n], 4, k)
                    code += field(high[n], bits - 4, k) << 4 if high else 0
                    number = code - (tensors[weight + "zeros"][n // per][g] >> n % per * bits & (1 << bits) - 1 if method.zeros
                                     else 1 << bits - 1)
                got = tensors[weight + "scales"][n][g] * number
                assert got == want.value(n, order[k]), (linear, n, k, got, want.value(n, order[k]))
                count += 1
    print(f"{count} numbers of {name} are exact")


if __name__ == "__main__":
    command, folder, *rest = sys.argv[1:]
    if command == "make":
        make(pathlib.Path(folder), *rest)
    else:
        check(pathlib.Path(folder), pathlib.Path(rest[0]))
