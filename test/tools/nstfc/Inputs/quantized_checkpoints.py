"""Small checkpoints with linears in codes, by the documented layouts of compressed-tensors, AWQ, GPTQ and fp8, and the check of what
a package made of them, number by number.

    quantized_checkpoints.py make FOLDER METHOD [FAULT]
    quantized_checkpoints.py check FOLDER PACKAGE

No NumPy, and nothing of the compiler: an independent reading of the formats.
"""
import json
import pathlib
import random
import struct
import sys

HIDDEN, INTERMEDIATE, KV, VOCABULARY, GROUP = 64, 96, 32, 40, 32
SHAPES = {"self_attn.q_proj": (HIDDEN, HIDDEN), "self_attn.k_proj": (KV, HIDDEN), "self_attn.v_proj": (KV, HIDDEN),
          "self_attn.o_proj": (HIDDEN, HIDDEN), "mlp.gate_proj": (INTERMEDIATE, HIDDEN), "mlp.up_proj": (INTERMEDIATE, HIDDEN),
          "mlp.down_proj": (HIDDEN, INTERMEDIATE)}
AWQ_ORDER = (0, 2, 4, 6, 1, 3, 5, 7)
# method: (bits, group or 0 for the row, zeros)
METHODS = {"pack4": (4, GROUP, True), "pack5": (5, GROUP, True), "loose5": (5, GROUP, True), "pack6": (6, 0, False),
           "pack8": (8, GROUP, True), "int8": (8, 0, False), "awq": (4, GROUP, True), "gptq": (4, GROUP, True),
           "gptq_v2": (4, GROUP, True), "gptq8": (8, GROUP, True), "gptq_ordered": (4, GROUP, True), "pack_ordered": (6, GROUP, True),
           "numbers": (4, GROUP, True), "float8": (8, 0, False), "float8_rows": (8, 0, False), "float8_tensor": (8, 0, False),
           "fp8_blocks": (8, GROUP, False)}
# Inputs of a group are not neighbours; "numbers" is the first of them as a model that is not quantised.
ORDERED = ("gptq_ordered", "pack_ordered", "numbers")
# Of floats: rows that share a scale, 0 for all.
SCALE_ROWS = {"float8": 1, "float8_rows": 1, "float8_tensor": 0, "fp8_blocks": 48}


class Matrix:
    """Codes, scales and zeros of a linear; the same for one seed, whatever the method."""

    def __init__(self, name, bits, group, zeros, ordered=False):
        self.rows, self.columns = SHAPES[name]
        self.bits, self.group = bits, group or self.columns
        self.groups = [k // self.group for k in range(self.columns)]
        if ordered:  # inputs that read the same have the same order
            random.Random(f"order {self.columns} {name == 'self_attn.o_proj'}").shuffle(self.groups)
        draw = random.Random(f"{name} {bits} {group} {zeros}")
        groups = self.columns // self.group
        self.codes = [[draw.randrange(1 << bits) for _ in range(self.columns)] for _ in range(self.rows)]
        self.scales = [[draw.randrange(1, 64) / 4096 for _ in range(groups)] for _ in range(self.rows)]
        self.zeros = [[draw.randrange(1 << bits) if zeros else 1 << bits - 1 for _ in range(groups)] for _ in range(self.rows)]

    def value(self, n, k):
        g = self.groups[k]
        return self.scales[n][g] * (self.codes[n][k] - self.zeros[n][g])


def float8(code, bias):
    exponent, mantissa = code >> 3 & 15, code & 7
    value = (8 + mantissa) * 2.0 ** (exponent - bias - 3) if exponent else mantissa * 2.0 ** (-2 - bias)
    return -value if code & 0x80 else value


class FloatMatrix:
    """The same of e4m3fn with scales that f16 does not hold."""

    def __init__(self, name, group, scale_rows):
        self.rows, self.columns = SHAPES[name]
        self.group, self.scale_rows = group or self.columns, scale_rows or self.rows
        draw = random.Random(f"{name} {group} {scale_rows}")
        codes = [code for code in range(256) if code & 0x7F != 0x7F]
        self.codes = [[draw.choice(codes) for _ in range(self.columns)] for _ in range(self.rows)]
        self.scales = [[struct.unpack("<f", struct.pack("<f", draw.random() * 1e-5))[0] for _ in range(self.columns // self.group)]
                       for _ in range(-(-self.rows // self.scale_rows))]

    def value(self, n, k):
        return self.scales[n // self.scale_rows][k // self.group] * float8(self.codes[n][k], 7)


def make_matrix(name, method):
    bits, group, zeros = METHODS[method]
    return FloatMatrix(name, group, SCALE_ROWS[method]) if method in SCALE_ROWS else Matrix(name, bits, group, zeros, method in ORDERED)


def dense(codes, bits):
    """Words whose bits are all used, low bits first."""
    whole = sum(code << i * bits for i, code in enumerate(codes))
    return [whole >> 32 * i & 0xFFFFFFFF for i in range((len(codes) * bits + 31) // 32)]


def loose(codes, bits):
    per = 32 // bits
    return [sum(code << i * bits for i, code in enumerate(codes[at:at + per])) for at in range(0, len(codes), per)]


def transpose(rows):
    return [list(column) for column in zip(*rows)]


def tensors_of(module, matrix, method, zeros):
    """name: (type, rows)"""
    if method in SCALE_ROWS:
        scale = ".weight_scale_inv" if method == "fp8_blocks" else ".weight_scale"
        return {module + ".weight": ("F8_E4M3", matrix.codes), module + scale: ("F32", matrix.scales)}
    if method == "numbers":
        return {module + ".weight": ("F32", [[matrix.value(n, k) for k in range(matrix.columns)] for n in range(matrix.rows)])}
    bits, middle = matrix.bits, 1 << matrix.bits - 1
    if method == "int8":
        return {module + ".weight": ("I8", [[code - middle for code in row] for row in matrix.codes]),
                module + ".weight_scale": ("F16", matrix.scales)}
    if method.startswith(("pack", "loose")):
        pack = loose if method.startswith("loose") else dense
        found = {module + ".weight_packed": ("I32", [pack(row, bits) for row in matrix.codes]),
                 module + ".weight_scale": ("F16", matrix.scales),
                 module + ".weight_shape": ("I64", [[matrix.rows, matrix.columns]])}
        if zeros:
            columns = [pack(column, bits) for column in transpose(matrix.zeros)]
            found[module + ".weight_zero_point"] = ("I32", transpose(columns))
        if method in ORDERED:
            found[module + ".weight_g_idx"] = ("I32", [matrix.groups])
        return found
    stored = transpose(matrix.zeros)
    scales = ("F16", transpose(matrix.scales))
    if method == "awq":
        def shuffle(row):
            return [word for at in range(0, len(row), 8) for word in dense([row[at + i] for i in AWQ_ORDER], 4)]
        return {module + ".qweight": ("I32", [shuffle(row) for row in transpose(matrix.codes)]),
                module + ".qzeros": ("I32", [shuffle(row) for row in stored]), module + ".scales": scales}
    less = 0 if method == "gptq_v2" else 1
    stored = [[zero - less & (1 << bits) - 1 for zero in row] for row in stored]
    return {module + ".qweight": ("I32", transpose([dense(row, bits) for row in matrix.codes])),
            module + ".qzeros": ("I32", [dense(row, bits) for row in stored]), module + ".scales": scales,
            module + ".g_idx": ("I32", [matrix.groups])}


def quantization(method, bits, group, zeros):
    if method == "awq":
        return {"quant_method": "awq", "bits": bits, "group_size": group, "zero_point": True, "version": "gemm",
                "modules_to_not_convert": ["lm_head"]}
    if method.startswith("gptq"):
        return {"quant_method": "gptq", "bits": bits, "group_size": group, "desc_act": method in ORDERED, "sym": False,
                "checkpoint_format": "gptq_v2" if method == "gptq_v2" else "gptq"}
    if method == "fp8_blocks":
        return {"quant_method": "fp8", "fmt": "e4m3", "activation_scheme": "dynamic", "weight_block_size": [SCALE_ROWS[method], group]}
    if method in SCALE_ROWS:
        weights = {"num_bits": 8, "type": "float", "symmetric": True, "strategy": "channel" if SCALE_ROWS[method] else "tensor"}
        inputs = dict(weights, strategy="token", dynamic=True) if method == "float8_rows" else None
        return {"quant_method": "compressed-tensors", "format": "float-quantized",
                "config_groups": {"group_0": {"targets": ["re:.*_proj"], "weights": weights, "input_activations": inputs}},
                "ignore": ["lm_head"]}
    weights = {"num_bits": bits, "type": "int", "symmetric": not zeros, "strategy": "group" if group else "channel",
               "group_size": group or None}
    return {"quant_method": "compressed-tensors", "format": "int-quantized" if method == "int8" else "pack-quantized",
            "config_groups": {"group_0": {"targets": ["re:.*_proj"], "weights": weights, "input_activations": None}},
            "ignore": ["lm_head"]}


def pack(kind, rows):
    flat = [value for row in rows for value in row]
    letter = {"F16": "e", "F32": "f", "I8": "b", "I32": "I", "I64": "q", "F8_E4M3": "B"}[kind]
    return struct.pack(f"<{len(flat)}{letter}", *flat)


def spoil(fault, tensors, config):
    first = "model.layers.0.self_attn.q_proj"
    quantization = config["quantization_config"]
    weights = quantization.get("config_groups", {}).get("group_0", {}).get("weights", {})
    if fault == "no-scale":
        del tensors[first + ".weight_scale"]
    elif fault == "scale-shape":
        tensors[first + ".weight_scale"] = ("F16", [row[:1] for row in tensors[first + ".weight_scale"][1]])
    elif fault == "short":
        tensors[first + ".weight_packed"] = ("I32", [row[:-1] for row in tensors[first + ".weight_packed"][1]])
    elif fault == "nan":
        tensors[first + ".weight_scale"][1][2][1] = float("nan")
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
    elif fault == "activations":
        quantization["config_groups"]["group_0"]["input_activations"] = {"num_bits": 8}
    elif fault == "method":
        quantization["quant_method"] = "bitsandbytes"
    else:
        sys.exit(f"unknown fault {fault}")


def make(folder, method, fault=None):
    bits, group, zeros = METHODS[method]
    draw = random.Random(7)

    def numbers(*shape):
        return "F32", [[draw.uniform(-0.5, 0.5) for _ in range(shape[-1])] for _ in range(shape[0] if len(shape) > 1 else 1)]

    tensors = {"model.embed_tokens.weight": numbers(VOCABULARY, HIDDEN), "lm_head.weight": numbers(VOCABULARY, HIDDEN)}
    vectors = ["model.norm.weight"] + [f"model.layers.0.{name}_layernorm.weight" for name in ("input", "post_attention")]
    for name in vectors:
        tensors[name] = numbers(HIDDEN)
    for name in SHAPES:
        module = "model.layers.0." + name
        tensors.update(tensors_of(module, make_matrix(name, method), method, zeros))
    config = {"architectures": ["LlamaForCausalLM"], "hidden_size": HIDDEN, "intermediate_size": INTERMEDIATE,
              "num_hidden_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 1, "vocab_size": VOCABULARY,
              "max_position_embeddings": 32, "rms_norm_eps": 1e-5, "torch_dtype": "bfloat16",
              "quantization_config": quantization(method, bits, group, zeros)}
    if method == "numbers":
        del config["quantization_config"]
    if fault:
        spoil(fault, tensors, config)
    header, data = {}, b""
    for name, (kind, rows) in tensors.items():
        content = pack(kind, rows)
        shape = [len(rows[0])] if name in vectors or name.endswith(("g_idx", "weight_shape")) else [len(rows), len(rows[0])]
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    folder.mkdir(parents=True)
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)
    config["nstf_test_method"] = method
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
    config = json.loads((folder / "config.json").read_text())
    bits, group, zeros = METHODS[config["nstf_test_method"]]
    tensors, count = read_package(package), 0
    for name in SHAPES:
        want, weight = make_matrix(name, config["nstf_test_method"]), f"model.layers.0.{name}.weight."
        codes, high = tensors[weight + "codes"], tensors.get(weight + "high")
        order = tensors[weight + "order"][0] if config["nstf_test_method"] in ORDERED else range(want.columns)
        assert sorted(order) == list(range(want.columns)), order
        for n in range(want.rows):
            for k in range(want.columns):
                g, per = k // want.group, 32 // bits
                if isinstance(want, FloatMatrix):
                    assert codes[n][k] != 0x80, (name, n, k)
                    got = tensors[weight + "scales"][n][g] * float8(codes[n][k], 8)
                    assert got == want.value(n, k), (name, n, k, got, want.value(n, k))
                    count += 1
                    continue
                code = codes[n][k] + 128 if bits == 8 else field(codes[n], 4, k)
                code += field(high[n], bits - 4, k) << 4 if high else 0
                zero = tensors[weight + "zeros"][n // per][g] >> n % per * bits & (1 << bits) - 1 if zeros else 1 << bits - 1
                got = tensors[weight + "scales"][n][g] * (code - zero)
                assert got == want.value(n, order[k]), (name, n, k, got, want.value(n, order[k]))
                count += 1
    print(f"{count} numbers of {config['nstf_test_method']} are exact")


if __name__ == "__main__":
    command, folder, *rest = sys.argv[1:]
    if command == "make":
        make(pathlib.Path(folder), *rest)
    else:
        check(pathlib.Path(folder), pathlib.Path(rest[0]))
