"""Choices between plans of a kernel: which is faster at each end of each guess, and which is to be taken."""

import dataclasses
import pathlib
import shlex

import yaml

from benchmarks import launches
from benchmarks.kernels import cases

FILE = pathlib.Path(__file__).parent / "choices.yaml"
ALIKE = 0.03  # of plans that differ by less the one with the better worst end is taken
SHIPPED = "shipped"


@dataclasses.dataclass(frozen=True)
class Plan:
    name: str = dataclasses.field(compare=False)
    words: tuple = ()          # more of nstfc kernel
    target: tuple = ()         # (number, value): what the compiler takes the chip to have
    code_object: str = ""      # in place of what nstfc makes; of the shipped kernel's geometry

    def make(self, build, case, chip, folder):
        """The kernel; throws launches.Failed."""
        target = chip.target
        if self.target:
            shipped = yaml.safe_load((launches.ROOT / "templates" / "targets" / f"{chip.target}.yaml").read_text())
            target = folder / "target.yaml"
            target.write_text(yaml.safe_dump({**shipped, **dict(self.target)}))
        kernel = launches.nstf_kernel(build, [*case.words, *self.words], target, folder, chip.target, case.control)
        return launches.with_code_object(build, kernel, pathlib.Path(self.code_object)) if self.code_object else kernel


@dataclasses.dataclass(frozen=True)
class Choice:
    name: str
    case: cases.Case
    chip: str
    plans: tuple   # the shipped one first


def read(known, file=FILE):
    """Of the cases that are known; throws cases.Unreadable."""
    named = {case.name: case for case in known}
    try:
        for entry in yaml.safe_load(file.read_text())["choices"]:
            plans = tuple(Plan(str(name), tuple(plan.get("words", ())), tuple(plan.get("target", {}).items()))
                          for name, plan in entry["plans"].items())
            if entry["case"] in named:
                for chip in entry["chips"]:
                    yield Choice(entry["name"], named[entry["case"]], chip, plans)
    except KeyError as error:
        raise cases.Unreadable(f"{file}: expected choices of name, case, chips and plans but got no {error}")
    except (OSError, TypeError, AttributeError, yaml.YAMLError) as error:
        raise cases.Unreadable(f"{file}: expected choices but got " + " ".join(str(error).split()))


def against(texts, known, chips):
    """Each case's shipped plan beside others: words of nstfc kernel, or code objects (.hsaco)."""
    others = [Plan(text, code_object=text) if text.endswith(".hsaco") else Plan(text, tuple(shlex.split(text))) for text in texts]
    return [Choice(SHIPPED + " or " + " or ".join(texts), case, chip, (Plan(SHIPPED), *others))
            for case in known for chip in chips if chip in case.chips]


def verdict(times):
    """`times`: by plan, microseconds by the title of an end, "" being the chip as it is. Lines on where the choice turns and
    which plan to take."""
    lines = []
    best = min(times, key=lambda plan: times[plan][""])
    for end in times[best]:
        here = min(times, key=lambda plan: times[plan][end])
        if here != best:
            lines.append(f"turns at {end}: {here} {times[here][end]:.1f} us, {best} {times[best][end]:.1f} us")
    worst = {plan: max(of_plan, key=of_plan.get) for plan, of_plan in times.items()}
    alike = [plan for plan in times if times[plan][""] <= times[best][""] * (1 + ALIKE)]
    taken = min(alike, key=lambda plan: times[plan][worst[plan]])
    if len(alike) == 1:
        why = f"the others take {100 * (min(times[plan][''] for plan in times if plan != best) / times[best][''] - 1):.1f} % more"
    else:
        ends = ", ".join(f"{plan} {times[plan][worst[plan]]:.1f} us" + f" at {worst[plan]}" * bool(worst[plan]) for plan in alike)
        why = f"within {100 * ALIKE:.0f} % of each other, and the better worst end: {ends}"
    return lines or ["turns nowhere"], taken, why
