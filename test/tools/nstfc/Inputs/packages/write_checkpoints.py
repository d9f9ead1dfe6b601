"""Writes a small checkpoint by a project's own Python package, and what its matrices are by that package, as hashes.

    write_checkpoints.py compressed-tensors|autoawq|auto-gptq FOLDER

Ran once, on a processor without a GPU, with torch 2.5.1 and
    compressed-tensors 0.20.0 (transformers 4.57.3): every format that nstfc reads, a scheme for each linear;
    compressed-tensors 0.9.4 (transformers 4.51.3), which does not fill words with 5 and 6 bits;
    autoawq 0.2.9; auto-gptq 0.7.1 (with activation order).
"""
import hashlib
import json
import pathlib
import sys

import torch
import transformers

LINEARS = ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj", "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj")


def make_model(dtype):
    torch.manual_seed(1)
    config = transformers.LlamaConfig(hidden_size=64, intermediate_size=64, num_hidden_layers=1, num_attention_heads=2,
                                      num_key_value_heads=1, vocab_size=8, max_position_embeddings=32, torch_dtype=dtype)
    return transformers.LlamaForCausalLM(config).to(dtype).eval()


def record(folder, matrices):
    """Of each matrix the type that the package computes it in, and the hash of its numbers, row by row."""
    expected = {}
    for name, matrix in matrices.items():
        kind = {torch.float16: "f16", torch.float32: "f32"}[matrix.dtype]
        numbers = matrix.detach().contiguous().numpy()
        expected[f"model.layers.0.{name}.weight"] = {"type": kind, "sha256": hashlib.sha256((numbers + 0.0).tobytes()).hexdigest()}
    (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


def scheme(bits, strategy, symmetric, number="int", **others):
    return {"num_bits": bits, "strategy": strategy, "symmetric": symmetric, "type": number, **others}


def write_compressed_tensors(folder):
    import compressed_tensors
    from compressed_tensors.quantization import QuantizationConfig, apply_quantization_config
    from compressed_tensors.quantization.utils import calculate_qparams

    is_old = compressed_tensors.__version__.startswith("0.9.")
    grouped = {"group_size": 32}
    schemes = {"self_attn.q_proj": ("pack-quantized", scheme(5, "group", True, **grouped)),
               "self_attn.k_proj": ("pack-quantized", scheme(6, "channel", True)),
               "self_attn.v_proj": ("pack-quantized", scheme(4, "group", True, **grouped))}
    if not is_old:
        schemes = {"self_attn.q_proj": ("pack-quantized", scheme(4, "group", False, **grouped)),
                   "self_attn.k_proj": ("pack-quantized", scheme(5, "group", False, **grouped)),
                   "self_attn.v_proj": ("pack-quantized", scheme(6, "channel", False)),
                   "self_attn.o_proj": ("pack-quantized", scheme(8, "group", True, group_size=64)),
                   "mlp.gate_proj": ("int-quantized", scheme(8, "channel", True)),
                   "mlp.up_proj": ("float-quantized", scheme(8, "channel", True, "float")),
                   "mlp.down_proj": ("float-quantized", scheme(8, "block", True, "float", block_structure=[64, 32]))}
    model = make_model(torch.bfloat16)
    groups = {f"group_{i}": {"targets": [f"re:.*{name}$"], "weights": weights} | ({} if is_old else {"format": kind})
              for i, (name, (kind, weights)) in enumerate(schemes.items())}
    left = ["lm_head"] + [f"re:.*{name}$" for name in LINEARS if name not in schemes]
    config = QuantizationConfig(config_groups=groups, ignore=left, format="pack-quantized" if is_old else "mixed-precision")
    apply_quantization_config(model, config)
    linears = {name: model.get_submodule(f"model.layers.0.{name}") for name in schemes}
    for name, linear in linears.items():
        weights = linear.quantization_scheme.weights
        n, k = linear.weight.shape
        height, width = weights.block_structure or (1, weights.group_size or k)
        blocks = linear.weight.detach().reshape(n // height, height, k // width, width)
        scale, zero = calculate_qparams(blocks.amin(dim=(1, 3)), blocks.amax(dim=(1, 3)), weights)
        linear.weight_scale.data = scale
        if hasattr(linear, "weight_zero_point"):
            linear.weight_zero_point.data = zero
    matrices = {}
    if is_old:
        from compressed_tensors.compressors import ModelCompressor
        compressor = ModelCompressor(quantization_config=config)
        state = compressor.compress(model)
        for name, linear in linears.items():
            stored = {key: state[f"model.layers.0.{name}.{key}"] for key in ("weight_packed", "weight_scale", "weight_shape")}
            stored["weight_scale"] = stored["weight_scale"].float()  # so that products are exact
            matrices[name] = compressor.quantization_compressor.decompress_weight(stored, linear.quantization_scheme.weights)
        model.save_pretrained(folder, state_dict=state)
    else:
        from compressed_tensors.compressors import BaseCompressor, ModelCompressor
        compressor = ModelCompressor(quantization_config=config)
        compressor.compress_model(model)
        for name, (kind, _) in schemes.items():
            state = {key: value.float() if key == "weight_scale" else value  # so that products are exact
                     for key, value in linears[name].state_dict().items()}
            matrices[name] = BaseCompressor.get_value_from_registry(kind).decompress(state, linears[name].quantization_scheme)["weight"]
        model.save_pretrained(folder)
    compressor.update_config(folder)
    record(folder, matrices)


def replace(model, name, module):
    parent, child = name.rsplit(".", 1)
    setattr(model.get_submodule(f"model.layers.0.{parent}"), child, module)


def write_autoawq(folder):
    from awq.models._config import AwqConfig
    from awq.modules.linear.gemm import WQLinear_GEMM
    from awq.quantize.quantizer import AwqQuantizer
    from awq.utils.packing_utils import dequantize_gemm

    model, matrices = make_model(torch.float16), {}
    quantizer = AwqQuantizer.__new__(AwqQuantizer)  # all but its rounding needs data
    quantizer.w_bit, quantizer.group_size, quantizer.zero_point = 4, 32, True
    for name in LINEARS:
        linear = model.get_submodule(f"model.layers.0.{name}")
        linear.weight.data, scales, zeros = quantizer.pseudo_quantize_tensor(linear.weight.data)
        made = WQLinear_GEMM.from_linear(linear, 4, 32, False, scales.t().contiguous(), zeros.t().contiguous())
        matrices[name] = dequantize_gemm(made.qweight, made.qzeros, made.scales, 4, 32).t()
        replace(model, name, made)
    model.config.quantization_config = AwqConfig(w_bit=4, q_group_size=32, zero_point=True, version="gemm").to_transformers_dict()
    model.save_pretrained(folder)
    record(folder, matrices)


def write_auto_gptq(folder):
    from auto_gptq import BaseQuantizeConfig
    from auto_gptq.nn_modules.qlinear.qlinear_cuda import QuantLinear
    from auto_gptq.quantization.gptq import GPTQ

    torch.cuda.synchronize = lambda *_: None
    model, matrices = make_model(torch.float16), {}
    for name in LINEARS:
        linear = model.get_submodule(f"model.layers.0.{name}").float()
        rounding = GPTQ(linear)
        rounding.quantizer.configure(4, perchannel=True, sym=False)
        torch.manual_seed(linear.in_features)  # linears that read the same have the same order
        inputs = torch.randn(256, linear.in_features) * torch.linspace(1, 3, linear.in_features)
        rounding.add_batch(inputs, linear(inputs))
        scales, zeros, groups = rounding.fasterquant(group_size=32, actorder=True)
        made = QuantLinear(4, 32, linear.in_features, linear.out_features, bias=False, weight_dtype=torch.float16)
        made.pack(linear.half(), scales.half(), zeros, groups.to(torch.int32))
        matrices[name] = made(torch.eye(linear.in_features, dtype=torch.float16)).t()
        replace(model, name, made)
    model.config.quantization_config = BaseQuantizeConfig(bits=4, group_size=32, desc_act=True, sym=False).to_dict() | {"quant_method": "gptq"}
    model.save_pretrained(folder)
    record(folder, matrices)


if __name__ == "__main__":
    package, target = sys.argv[1], pathlib.Path(sys.argv[2])
    target.mkdir(parents=True)
    with torch.no_grad():
        globals()["write_" + package.replace("-", "_")](target)
    (target / "generation_config.json").unlink(missing_ok=True)
