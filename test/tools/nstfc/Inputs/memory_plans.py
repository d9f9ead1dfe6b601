"""memory_plans.py COUNTER.so FOLDER MODEL [OPTION ...]: what `nstfc memory` says of a model with these options is what its
package's manifest says, buffer by buffer, and what opening the package allocates."""
import json
import os
import pathlib
import subprocess
import sys

counter, folder, model, *options = sys.argv[1:]
folder = pathlib.Path(folder)
options += ["--target=gfx942", "--target=gfx90a"]
plan = json.loads(subprocess.run(["nstfc", "memory", model, *options, "--json"], check=True, stdout=subprocess.PIPE).stdout)
package = folder / "plan.nstf"
subprocess.run(["nstfc", model, *options, "--weights=random:1", "--quiet", "-o", package], check=True)
manifest = json.loads((package / "manifest.json").read_text())
planned = [(buffer["name"], buffer["kind"], buffer["bytes"]) for buffer in plan["buffers"]]
assert planned == [(buffer["name"], buffer["kind"], buffer["size"]) for buffer in manifest["buffers"]], planned
offset = 0
for buffer in plan["buffers"]:
    assert buffer["offset"] == offset, buffer
    offset += buffer["bytes"]
assert plan["total"] == offset, plan
environment = dict(os.environ, NSTF_EMULATOR_LIBRARY=counter, COUNT_FILE=str(folder / "count"))
subprocess.run(["nstf-run", package, "--device=emulator", "--ids=1,2,3", "--tokens=2", "--print-ids", "--quiet"], check=True, env=environment,
               stdout=subprocess.DEVNULL)
allocated = int((folder / "count").read_text())
kinds = sorted({kind for _, kind, _ in planned})
print(f"{len(planned)} buffers, {', '.join(kinds)}; plan - allocated = {plan['total'] - allocated}")
