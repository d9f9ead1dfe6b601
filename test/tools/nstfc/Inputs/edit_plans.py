"""Plans edited at random: edit_plans.py FOLDER SEED COUNT [KERNEL].

Each edit is one to three of: an action moved, one a block further or less far ahead, by pairs or not; buffers, order,
priorities, flags. What is compiled gives the numbers of the plan that was chosen, to the bit, with all of the emulator's
checks; what is not is refused in one line. Prints how many of each.
"""
import pathlib
import random
import re
import subprocess
import sys

folder, seed, count = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])

# Loops of one step by pairs of blocks, of two steps, over one buffer, past the registers; attention's.
KERNELS = {
    "pairs": "matmul --type=f16 --m=70 --n=40 --k=530 --set=BM=32 --set=BN=32 --set=BK=32 --set=waves=2x2",
    "steps": "matmul --type=bf16 --m=38 --n=70 --k=172 --set=BM=64 --set=BN=64 --set=BK=32 --set=waves=2x2",
    "bytes": "matmul --type=i8 --m=33 --n=64 --k=256 --set=BM=32 --set=BN=32 --set=BK=64 --set=waves=2x2",
    "staged": "matmul --type=f32 --m=64 --n=64 --k=128 --set=BM=64 --set=BN=64 --set=BK=16 --set=through=lds",
    "attention": "attention --type=f16 --m=50 --heads=2 --head-size=20 --context=100",
}
TARGETS = ["gfx90a", "gfx942"]


def compile(kernel, target, *more):
    return subprocess.run(["nstfc", "kernel", *KERNELS[kernel].split(), f"--target={target}", *more], capture_output=True,
                          text=True)


def make(kernel, target, name, plan):
    """A kernel with its launch; the error where there is none."""
    done = compile(kernel, target, f"--plan={plan}", "-o", folder / f"{name}.hsaco", "--launch", folder / f"{name}.yaml",
                   "--name=kernel")
    return done.stderr if done.returncode else ""


def run(name):
    """What the launch gives."""
    launch = folder / f"{name}.yaml"
    text = launch.read_text()
    # Its last buffer but the control block is the result.
    result = [buffer for buffer in re.findall(r"^  (\w+): \{", text, re.M) if buffer not in ("control",)][-1]
    launch.write_text(text + f"outputs: {{{result}: {name}.npy}}\n")
    done = subprocess.run(["nstf-emu", "run", launch, "--check=all,hazard:strict"], capture_output=True, text=True)
    if done.returncode:
        return f"exit {done.returncode}: {done.stdout}{done.stderr}"
    return (folder / f"{name}.npy").read_bytes()


def edit_once(text, chance):
    head, actions = re.fullmatch(r"(.*round = \[)(.*)\]>", text).groups()
    actions = actions.split(", ")
    place = chance.randrange(len(actions))
    kind = chance.randrange(8)
    if kind == 0:
        actions.insert(chance.randrange(len(actions)), actions.pop(place))
    elif kind == 1 and place:
        actions[place - 1], actions[place] = actions[place], actions[place - 1]
    elif kind in (2, 3):
        name, ahead, rest = re.fullmatch(r"(\w+(?: \d+)?)(?: \+(\d+))?((?: step \d+| pairs)*)", actions[place]).groups()
        if name.split()[0] in ("load", "write", "stage", "read", "wait"):
            actions[place] = f"{name} +{max(int(ahead or 0) + chance.choice([-1, 1, 2]), 0)}{rest}"
    elif kind == 4 and actions[place].startswith("load"):
        actions[place] = actions[place].removesuffix(" pairs") if "pairs" in actions[place] else actions[place] + " pairs"
    elif kind == 5:
        head = re.sub(r"buffers = \d", f"buffers = {chance.randint(1, 3)}", head)
    elif kind == 6:
        head = re.sub(r", priorities = \[.*?\]", "", head)
        if chance.random() < 0.7:
            head = head.replace(", round", f"{chance.choice(['', ', priorities = [0, 2, 1]', ', priorities = [3, 0, 0]'])}, round")
            head = re.sub(r"(order = \w+)(.*?)(, priorities = \[.*?\])", r"\1\3\2", head)
    else:
        flag = chance.choice(["pinned", "reads_first", "turns"])
        if flag == "turns":
            head = re.sub(r"order = \w+", f"order = {chance.choice(['merged', 'turns'])}", head)
        elif f", {flag}" in head:
            head = head.replace(f", {flag}", "")
        elif flag == "reads_first":
            head = head.replace(", round", ", reads_first, round")
    return head + ", ".join(actions) + "]>"


def edit(text, chance):
    """The same edits in each of a file's plans, which are alike."""
    plans = [line for line in text.splitlines() if line.startswith("#")]
    for _ in range(chance.randint(1, 3)):
        state = chance.getstate()
        for i, plan in enumerate(plans):
            chance.setstate(state)
            plans[i] = edit_once(plan, chance)
    return "".join(plan + "\n" for plan in plans)


chance = random.Random(seed)
kernels = sys.argv[4:] or list(KERNELS)
same, refused, wrong = 0, 0, 0
chosen = {}
for number in range(count):
    kernel, target = kernels[number % len(kernels)], TARGETS[number // len(kernels) % 2]
    if (kernel, target) not in chosen:
        plan = compile(kernel, target, "--emit=plan")
        assert plan.returncode == 0, plan.stderr
        (folder / "chosen.plan").write_text(plan.stdout)
        error = make(kernel, target, "chosen", folder / "chosen.plan")
        assert not error, error
        chosen[kernel, target] = plan.stdout, run("chosen")
        assert isinstance(chosen[kernel, target][1], bytes), chosen[kernel, target][1]
    text, expected = chosen[kernel, target]
    edited = edit(text, chance)
    (folder / "edited.plan").write_text(edited)
    error = make(kernel, target, "edited", folder / "edited.plan")
    if error:
        lines = [line for line in error.splitlines() if "error:" in line]
        if len(lines) == 1 and "expected" in lines[0] and "internal" not in error:
            refused += 1
            continue
        fault = error
    elif (got := run("edited")) == expected:
        same += 1
        continue
    else:
        fault = got if isinstance(got, str) else "other numbers"
    wrong += 1
    print(f"{kernel} for {target}, edit {number}: {fault}\n{edited}")
print(f"{same} gave the same numbers, {refused} were refused, {wrong} are wrong")
sys.exit(wrong > 0)
