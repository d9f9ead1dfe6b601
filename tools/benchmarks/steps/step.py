"""A step of a package: its launches as `nstf-emu` runs them, and what they are predicted to take."""

import dataclasses
import json
import re

from benchmarks import launches

CONTROL_WORD = 4
TOLD_LAYERS = 4  # that are run where the others are told from them


@dataclasses.dataclass
class Launch:
    name: str
    kernel: str
    layer: int | None    # None: of no layer
    microseconds: float  # gap apart
    limiter: str
    moved: int           # bytes from and to HBM
    needed: int          # bytes of weights and caches that no launch after it takes


def compile_model(build, case, target, folder, layers):
    """The folder of the package; throws launches.Failed."""
    source = launches.ROOT / case.model.graph
    if case.model.config:
        source = folder / case.model.name
        source.mkdir(exist_ok=True)
        (source / "config.json").write_text(json.dumps({**case.model.config, "num_hidden_layers": layers}))
    package = folder / f"{layers}.nstf"
    launches.run([build / "bin" / "nstfc", source, f"--target={target}", "--weights=none", "--quiet", *case.options, "-o", package])
    return package


class Step:
    """The launches of a step of a package."""

    def __init__(self, package, rows, position, requests):
        self.package, self.rows, self.position, self.requests = package, rows, position, requests
        self.manifest = json.loads((package / "manifest.json").read_text())
        target = self.manifest["targets"][0]
        self.code_object = package / target["code_object"]
        self.target = target["id"]
        self.kernels = {kernel["symbol"]: kernel for kernel in target["kernels"]}
        buckets = [bucket for bucket in target["buckets"] if bucket["min_tokens"] <= rows <= bucket["max_tokens"]]
        context = self.manifest["model"].get("context")
        if not buckets or (context and position + self.each > context):
            raise launches.Failed(f"expected a package for {rows} rows at {position} but got {package.name}, whose context is {context}")
        if requests > self.manifest["control"].get("requests", 1):
            raise launches.Failed(f"expected a package for {requests} requests (--max-batch) but got {package.name}")
        self.steps = buckets[0]["steps"]

    @property
    def each(self):
        """Rows of a request."""
        return self.rows // self.requests

    def _control(self, size):
        control = self.manifest["control"]
        words = [0] * (size // CONTROL_WORD)

        def write(block, **values):
            for name, value in values.items():
                words[(block * control["size"] + control["fields"][name]) // CONTROL_WORD] = value

        write(0, tokens=self.rows, position=self.position)
        for request in range(self.requests if "requests" in control else 0):
            write(1 + request, tokens=self.each, position=self.position, first=request * self.each, slot=request)
        return {"type": "i32", "shape": [len(words)], "init": {"values": words}}

    def write(self, path, times):
        """A launch file of `times` such steps, one after the other, with weights and caches of zeros."""
        buffers = {buffer["name"]: self._control(buffer["size"]) if buffer["kind"] == "control" else
                   {"type": "u8", "shape": [buffer["size"]], "init": "zeros"} for buffer in self.manifest["buffers"]}
        steps = [{"kernel": step["kernel"], "grid": step["grid"], "block": self.kernels[step["kernel"]]["block"],
                  "args": [{"buffer": argument["buffer"], "offset": argument["offset"]} for argument in step["arguments"]]}
                 for step in self.steps]
        path.write_text(json.dumps({"code_object": str(self.code_object), "target": self.target, "buffers": buffers,
                                    "launches": steps * times}))  # JSON is YAML
        return path

    def needed(self):
        """For each launch the bytes of weights and caches that it is the last to take: weights whole, but of tables the rows
        that are looked up; of caches the positions up to the step's last."""
        buffers = {buffer["name"]: buffer for buffer in self.manifest["buffers"]}
        last = {}
        for index, step in enumerate(self.steps):
            for argument, parameter in zip(step["arguments"], self.kernels[step["kernel"]]["arguments"]):
                buffer = buffers[argument["buffer"]]
                if buffer["kind"] == "state":
                    slot = buffer["size"] // buffer.get("slots", 1)
                    count = self.requests * slot * (self.position + self.each) // buffer["shape"][0]
                elif buffer["kind"] == "weights":
                    count = _bytes(parameter, self.rows if re.fullmatch(r"table(_\d+)?", parameter["name"]) else None)
                else:
                    continue
                last[argument["buffer"], argument["offset"]] = index, count
        return [sum(count for index, count in last.values() if index == launch) for launch in range(len(self.steps))]


def _bytes(parameter, rows):
    """Of a weight, or of some rows of it."""
    count = int(re.search(r"\d+", parameter["type"]).group()) // 8
    for extent in parameter["shape"] if rows is None else [rows, *parameter["shape"][1:]]:
        count *= extent
    return count


def layer_of(name):
    """Of a step's name, "model.layers.7.mlp.down_proj": 7."""
    found = re.search(r"(?:^|\.)(\d+)(?:\.|$)", name)
    return int(found.group(1)) if found else None


def run(build, case, chip, folder, layers):
    """The launches of the case's step in a model of so many layers; throws launches.Failed."""
    step = Step(compile_model(build, case, chip.target, folder, layers), case.rows, case.position, case.requests)
    times = 2 if case.warm else 1
    file = step.write(folder / "step.yaml", times)
    reports = launches.reports(build, file, f"--timing={chip.name}", "--sampled-only", f"--clock={chip.clock_mhz}")[-len(step.steps):]
    found = []
    for launch, report, needed in zip(step.steps, reports, step.needed()):
        prediction = report["predictions"][0]
        hbm = prediction["bytes"]["hbm"]
        found.append(Launch(launch["name"], launch["kernel"], layer_of(launch["name"]), prediction["execution_ns"] / 1e3,
                            prediction["limiter"], hbm["read"] + hbm["written"], needed))
    return found
