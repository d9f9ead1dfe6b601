"""Precision by layer: the choice beside simpler ones at equal bytes, and products that f16 can't hold."""

import json
import re

from benchmarks import launches


def edit(plan, formats):
    """The plan with other formats, one a matrix."""
    formats = iter(formats)
    return re.sub(r"\{format: [a-z0-9_]+", lambda _: "{format: " + next(formats), plan)


def judged(report):
    return report["judged"]["kl"], 100 * (report["judged"]["perplexity"][1] / report["judged"]["perplexity"][0] - 1)


def beside_halves(bench, name, model, words, factor):
    """int8 and int4_g32 at 6.4 bits: by what each matrix loses, the first matrices in int4 and the last ones."""
    report = bench.compress(model, f"{name}-int8", "--format=int8", *words)[1]
    sizes = [(matrix["shape"][0] * matrix["shape"][1], matrix["bytes"]) for matrix in report["matrices"]]
    small = [matrix["bytes"] for matrix in bench.compress(model, f"{name}-int4", "--format=int4_g32", *words)[1]["matrices"]]
    budget = int(6.4 / 8 * sum(elements for elements, _ in sizes))
    folder, chosen = bench.compress(model, f"{name}-chosen", f"--max-bytes={budget}", "--formats=int8,int4_g32", *words)
    plan, others = (folder / "plan.yaml").read_text(), {}
    for which, order in (("first", range(len(sizes))), ("last", reversed(range(len(sizes))))):
        formats, total = ["int8"] * len(sizes), sum(size for _, size in sizes)
        for matrix in order:
            if total <= budget:
                break
            formats[matrix] = "int4_g32"
            total -= sizes[matrix][1] - small[matrix]
        file = bench.folder / f"{name}-{which}.yaml"
        file.write_text(edit(plan, formats))
        others[which] = bench.compress(model, f"{name}-{which}", f"--plan={file}", *words)[1]["judged"]["kl"]
    kl, best = chosen["judged"]["kl"], min(others.values())
    bench.check(f"{name}, int8 and int4_g32 at {chosen['bits']:.2f} bits: KL {kl:.6f}, the first matrices in int4 {others['first']:.6f}, "
                f"the last {others['last']:.6f}: {best / kl:.2f} x, at least {factor} x", chosen["bits"] <= 6.4 and best >= factor * kl)


def budget(bench, name, model, words, most, bits, limit):
    """--max-kl: bits of the linears, and the KL of what is held back."""
    report = bench.compress(model, f"{name}-max-kl", f"--max-kl={most}", *words)[1]
    kl, _ = judged(report)
    bench.check(f"{name}, --max-kl={most}: {report['bits']:.2f} bits, at most {bits}; KL {kl:.6f}, at most {limit}",
                report["bits"] <= bits and kl <= limit)


def past_f16(bench, chip):
    """Rows of every up times 2^16 and columns of down divided by it: the same function, with activations past f16."""
    model = bench.folder / "loud"
    bench.models("loud", bench.model, model)
    base = bench.compile(model, "loud-base", "--precision=f32")
    words = ["--perplexity", bench.samples, "--rows=0-1", "--against", base, "--device=emulator", f"--target={chip}", "--json", "--quiet"]

    def measure(name, folder):
        return json.loads(bench.run("nstf-run", bench.compile(folder, name, "--precision=f16"), *words))["against"]["kl"]

    calibration = bench.calibrate(model, "--ids", bench.samples, "--rows=8-23")
    folder, report = bench.compress(model, "loud-max-kl", "--max-kl=0.002", f"--calibration={calibration}", "--judge", bench.samples,
                                    f"--judge-rows={bench.rows}")
    named = re.findall(r"(\S+): \{format: \S+, products: bf16, .*past f16", (folder / "plan.yaml").read_text())
    bench.check(f"activations past f16: {len(named)} sites are named, each layer's down among them, and their products are in bf16",
                sum("down_proj" in name for name in named) == 5)
    kl, package = judged(report)[0], measure("loud-max-kl", folder)
    bench.check(f"activations past f16, --max-kl=0.002: KL {kl:.5f}, at most 0.0028; of the package in f16 {package:.5f}",
                kl <= 0.0028 and package <= 0.0035)
    try:
        plain = measure("loud", model)
    except launches.Failed as error:
        plain = str(error)
    bench.check(f"activations past f16, --precision=f16 alone: {plain}", isinstance(plain, str) or not plain < 1)
