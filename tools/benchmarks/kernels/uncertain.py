"""`tools/bench kernels --uncertain`: what the timing model's guesses decide.

Each timed aim is predicted with one constant at a time at both ends of what it may be (guesses.py), and so is each choice
between plans (choices.py)."""

import concurrent.futures
import json
import pathlib
import re
import tempfile

from benchmarks import launches
from benchmarks.kernels import aims, chip, choices, guesses, prediction

NOT_JUDGED = {"over_triton"}  # its kernels' times would be needed at each end, too
AS_IT_IS = ""                 # the title of no end


class Predictions:
    """Of kernels on a chip at ends; each made once."""

    def __init__(self, build, jobs, folder):
        self.build, self.folder = build, folder
        self.pool, self.made = concurrent.futures.ThreadPoolExecutor(jobs), {}

    def kernel(self, case, of_chip, plan):
        return self._once(("kernel", case, of_chip.name, plan), lambda place: plan.make(self.build, case, of_chip, place))

    def of(self, case, of_chip, plan, end=None):
        """The future of metrics by name, which throws launches.Failed."""
        def predict(place):
            kernel = self.kernel(case, of_chip, plan).result()
            timing = end.timing(of_chip, place) if end else None
            return prediction.at_peak(self.build, kernel, case, of_chip, place, timing)

        self.kernel(case, of_chip, plan)  # goes first, or those that wait for it could take all of the pool
        if end and not self._matters(case, of_chip, plan, end):
            end = None
        return self._once((case, of_chip.name, plan, end), predict)

    def _matters(self, case, of_chip, plan, end):
        if not end.differs or end.constant in guesses.BETWEEN_LAUNCHES:
            return False
        try:
            pattern = guesses.CODE.get(end.constant)
            return not pattern or re.search(pattern, launches.disassembly(self.build, self.kernel(case, of_chip, plan).result()))
        except launches.Failed:
            return True  # whoever asks for the prediction is told

    def _once(self, key, make):
        if key not in self.made:
            place = self.folder / str(len(self.made))
            place.mkdir()
            self.made[key] = self.pool.submit(make, place)
        return self.made[key]


def _metrics(predictions, case, known, of_chip, end):
    """Of the shipped plan; `rate` beside that of another case at the same end."""
    found = dict(predictions.of(case, of_chip, choices.Plan(choices.SHIPPED), end).result())
    beside = next((other for other in known if other.name == case.rate_beside), None)
    if beside:
        found["rate"] = found["products_a_ns"] / predictions.of(beside, of_chip, choices.Plan(choices.SHIPPED), end).result()["products_a_ns"]
    return found


def _timed_aims(case, of_chip):
    for metric, bounds in case.aims.items():
        if metric in aims.TIMED - NOT_JUDGED:
            for kind, bound in bounds.items():
                limit = bound.get(of_chip.name) if isinstance(bound, dict) else bound
                if limit is not None:
                    yield metric, kind, limit


def _verdict(are_met):
    if all(are_met.values()):
        return "met at both ends"
    return "met at " + ", ".join(end for end in are_met if are_met[end]) + " only" if any(are_met.values()) else "met at none"


def _judge_aim(predictions, case, known, of_chip, aim, groups):
    """Prints an aim at all ends; the verdict of each constant, with the aim's title."""
    metric, kind, limit = aim
    title = f"{case.name}, {of_chip.name}: {metric} {'at least' if kind == 'min' else 'at most'} {limit}"
    try:
        def value(end):
            return _metrics(predictions, case, known, of_chip, end)[metric]

        print(f"{title}: {aims.text(value(None))}", flush=True)
        found = []
        for constant, ends in groups.items():
            values = {f"{end.value:g}": value(end) for end in ends}
            met = {end: number >= limit if kind == "min" else number <= limit for end, number in values.items()}
            said = _verdict(met)
            print(f"    {constant:24} " + "  ".join(f"{end}: {aims.text(number)}" for end, number in values.items()) + f"  {said}",
                  flush=True)
            found.append({"aim": title, "constant": constant, "values": values, "verdict": said})
        return found
    except launches.Failed as error:
        print(f"{title}: not predicted: {error}", flush=True)
        return [{"aim": title, "constant": constant, "values": {}, "verdict": "not predicted"} for constant in groups]


def _judge_choice(predictions, choice, of_chip, groups):
    title = f"{choice.name}: {choice.case.name}, {of_chip.name}"
    ends = [None, *(end for group in groups.values() for end in group)]
    times, failed = {}, []
    for plan in choice.plans:
        try:
            times[plan.name] = {end.title if end else AS_IT_IS: predictions.of(choice.case, of_chip, plan, end).result()["execution_us"]
                                for end in ends}
        except launches.Failed as error:
            failed.append(f"{plan.name}: not predicted: {error}")
    print(title)
    for plan, of_plan in times.items():
        print(f"    {plan:12} {of_plan[AS_IT_IS]:.1f} us; " + ", ".join(f"{end}: {time:.1f}" for end, time in of_plan.items() if end))
    for line in failed:
        print(f"    {line}")
    if len(times) < 2:
        return {"choice": title, "times": times, "turns": [], "take": None, "why": "; ".join(failed)}
    turns, taken, why = choices.verdict(times)
    for line in turns:
        print(f"    {line}")
    shipped = "" if taken == choice.plans[0].name else ", which is not the shipped one"
    print(f"    take {taken}{shipped}: {why}", flush=True)
    return {"choice": title, "times": times, "turns": turns, "take": taken, "why": why}


def _print_sums(found):
    by_aim = {}
    for entry in found:
        by_aim.setdefault(entry["aim"], []).append(entry)
    groups = {"at both ends of all guesses": [], "at one end only of some": [], "at none of some": []}
    for aim, entries in by_aim.items():
        said = [entry["verdict"] for entry in entries]
        worst = "at none of some" if any(verdict in ("met at none", "not predicted") for verdict in said) else \
            "at both ends of all guesses" if all(verdict == "met at both ends" for verdict in said) else "at one end only of some"
        short = [f"{entry['constant']}: {entry['verdict']}" for entry in entries if entry["verdict"] != "met at both ends"]
        groups[worst].append(aim + (f" ({'; '.join(short)})" if short else ""))
    for title, lines in groups.items():
        print(f"\n{len(lines)} aims met {title}")
        for line in lines:
            print(f"  {line}")


def _groups(name, constants, values):
    """The ends to be judged, by constant; KeyError where a name is unknown."""
    if values:
        return {constant: [guesses.end(name, constant, value) for value in of_constant] for constant, of_constant in values.items()}
    return {guess.constant: [guesses.end(name, guess.constant, end) for end in guess.ends]
            for guess in guesses.read(name) if not constants or guess.constant in constants}


def run(arguments, chosen, chips, compared):
    """Judges `chosen` cases' aims, then the choices `compared`."""
    with tempfile.TemporaryDirectory() as folder:
        predictions = Predictions(arguments.build, arguments.jobs, pathlib.Path(folder))
        groups = {name: _groups(name, arguments.constants, arguments.values) for name in chips}
        judged = [(case, chip.read(name), aim) for case in chosen for name in chips if name in case.chips
                  for aim in _timed_aims(case, chip.read(name))] if not arguments.against else []
        for case, of_chip, _ in judged:  # all of them begin, in the order in which they are asked for
            for end in [None, *(end for group in groups[of_chip.name].values() for end in group)]:
                predictions.of(case, of_chip, choices.Plan(choices.SHIPPED), end)
        found = [entry for case, of_chip, aim in judged
                 for entry in _judge_aim(predictions, case, chosen, of_chip, aim, groups[of_chip.name])]
        taken = [_judge_choice(predictions, choice, chip.read(choice.chip), groups[choice.chip])
                 for choice in compared if choice.chip in chips]
        _print_sums(found)
        for name in chips:
            for constant in guesses.BETWEEN_LAUNCHES & groups[name].keys():
                print(f"\n{constant}: in no time here, on {name}: launch cost apart")
        if arguments.json:
            arguments.json.write_text(json.dumps({"aims": found, "choices": taken}, indent=1) + "\n")
