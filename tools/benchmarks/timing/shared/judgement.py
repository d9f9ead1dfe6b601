"""How good predictions of published times are: errors by kernel and by limiter, two baselines, order of pairs."""

import itertools
import math
import statistics

MEAN, MEDIAN, LOG_SHARE, ORDERED = 0.20, 0.12, 0.60, 0.90
LONG = 2  # launches: shorter points say more of the launch than of the kernel
APART = 1.10  # pairs nearer than that are ties
# What can bound a launch, in the words of points.tsv.
LIMITERS = ["matrix", "vector", "lds", "l1", "l2", "mall", "hbm", "latency", "wave-launch", "launch"]
COLUMNS = {"model": "model", "roofline": "roofline + launch", "rounds": "rounds x constant"}  # the model and two baselines
MATRIX_FLOPS = {"gemm_f16": 2048, "gemv_fp8": 4096}  # a clock and compute unit; of vector arithmetic 256


class Judgement:
    def __init__(self):
        self.points, self.failed, self.facts = [], [], {}

    def add(self, point, facts):
        """Takes a point with the chip's facts, prediction and published time, or with what it failed of; prints its row."""
        self.facts[point["chip"]] = facts
        name = f"{point['chip']:7} {point['kernel']:22} {point['problem']:42}"
        if "failure" in point:
            self.failed.append(point)
            print(f"{name} {point['value']:>9} {point['unit']:7} no prediction: {point['failure']} MISS", flush=True)
            return
        self.points.append(point)
        predicted = point["predicted"]
        point["error"] = predicted["nanoseconds"] / point["nanoseconds"] - 1
        point["long"] = point["nanoseconds"] > LONG * facts["launch"]
        point["roofline"] = self.roofline(point)
        marks = ("" if point["long"] else " short") + (" MISS" if point["long"] and abs(point["error"]) > 0.3 else "")
        print(f"{name} {point['nanoseconds'] / 1e3:9.2f} us {predicted['nanoseconds'] / 1e3:9.2f} us {100 * point['error']:+7.1f}% "
              f"{100 * self.error(point, 'roofline'):+8.1f}%   {point['limiter']}, {predicted['limiter']}{marks}", flush=True)

    def compare(self):
        """Adds the baseline's times that need all points."""
        for point in self.points:
            point["rounds"] = self.rounds(point)

    def nanoseconds(self, point, column):
        """What the model or a baseline says; None where a baseline has nothing to say."""
        return point["predicted"]["nanoseconds"] if column == "model" else point[column]

    def error(self, point, column):
        nanoseconds = self.nanoseconds(point, column)
        return None if nanoseconds is None else nanoseconds / point["nanoseconds"] - 1

    def submission(self, point):
        """Nanoseconds of launches and the gaps between them, where the published time has them in it."""
        if point["unit"] == "GB/s":
            return 0
        facts = self.facts[point["chip"]]
        return facts["launch"] + (point["predicted"]["launches"] - 1) * facts["gap"]

    def roofline(self, point):
        predicted, facts = point["predicted"], self.facts[point["chip"]]
        units = min(facts["compute_units"], predicted["workgroups"])
        flops = units * facts["sustained_clock" if point["clock"] == "sustained" else "peak_clock"] / 1e3
        flops *= MATRIX_FLOPS.get(point["kernel"], 256)
        return self.submission(point) + max(predicted["flops"] / flops, predicted["bytes"] / facts["memory_bandwidth"])

    def rounds(self, point):
        """Rounds of workgroups times what a round took in the kernel's other points; None where there are none."""
        others = [other for other in self.points if other is not point and
                  (other["chip"], other["kernel"]) == (point["chip"], point["kernel"])]
        each = [max(other["nanoseconds"] - self.submission(other), 100) / max(other["predicted"]["rounds"], 1) for other in others]
        if not each:
            return None
        return self.submission(point) + statistics.geometric_mean(each) * max(point["predicted"]["rounds"], 1)

    def print_head(self):
        print(f"{'chip':7} {'kernel':22} {'problem':42} {'published':>12} {'predicted':>12} {'error':>8} {'roofline':>9}   "
              "expected, predicted limiter", flush=True)

    def print_limiters(self):
        """Errors by what was expected to bound a point, of short points too: else none would be bound by its launch."""
        print("\n" + 18 * " " + "".join(f" {title:^33}" for title in COLUMNS.values()))
        print(f"{'expected limiter':18}" + len(COLUMNS) * f" {'points':>6} {'mean':>8} {'median':>8} {'bias':>8}")
        seen = {point["limiter"] for point in self.points + self.failed}
        for limiter in LIMITERS + sorted(seen - set(LIMITERS)):
            points = [point for point in self.points if point["limiter"] == limiter]
            cells = "".join(self.errors_of(points, column) for column in COLUMNS) if limiter in seen else f" {'none':>6}"
            print(f"{limiter:18}{cells}")

    def errors_of(self, points, column):
        """Cells: how many points it says something of, the mean and median size of its errors, and their mean."""
        errors = [error for point in points if (error := self.error(point, column)) is not None]
        if not errors:
            return f" {0:6}" + 3 * f" {'-':>8}"
        sizes = [abs(error) for error in errors]
        return (f" {len(errors):6} {100 * statistics.mean(sizes):7.1f}% {100 * statistics.median(sizes):7.1f}% "
                f"{100 * statistics.mean(errors):+7.1f}%")

    def by_kernel(self, measure):
        """The measure's mean over each kernel's long points; points it gives None for are left out."""
        kernels = {}
        for point in self.points:
            if point["long"] and (value := measure(point)) is not None:
                kernels.setdefault((point["chip"], point["kernel"]), []).append(value)
        return {kernel: statistics.mean(values) for kernel, values in kernels.items()}

    def work(self, point):
        """What is computed, however and wherever: points of the same work can be ordered."""
        kernel, problem = point["kernel"], point["problem"]
        if kernel.startswith("stream_"):
            return kernel
        if kernel.startswith("rmsnorm_"):
            return f"rmsnorm {problem}"
        return f"{kernel} {problem}"

    def ordering(self):
        """Pairs of the same work that are apart, and how many of them are predicted in the right order."""
        pairs = right = 0
        works = {}
        for point in self.points:
            works.setdefault(self.work(point), []).append(point)
        for same in works.values():
            for one, other in itertools.combinations(same, 2):
                published = one["nanoseconds"] / one["predicted"]["scale"], other["nanoseconds"] / other["predicted"]["scale"]
                if max(published) / min(published) < APART:
                    continue
                predicted = [point["predicted"]["nanoseconds"] / point["predicted"]["scale"] for point in (one, other)]
                pairs += 1
                right += (published[0] < published[1]) == (predicted[0] < predicted[1])
        return pairs, right

    def print_verdict(self):
        """Prints what must hold and whether it does."""
        if self.failed:
            names = ", ".join(f"{point['chip']} {point['kernel']} {point['problem']}" for point in self.failed)
            print(f"\nno prediction of {len(self.failed)} points: {names}")
        errors = self.by_kernel(lambda point: abs(point["error"]))
        if not errors:
            print("\nno point is longer than twice a launch")
            return not self.failed

        def log_error(column):
            def measure(point):
                return None if point["rounds"] is None else abs(math.log(self.nanoseconds(point, column) / point["nanoseconds"]))
            return statistics.mean(self.by_kernel(measure).values() or [0])

        logs = {column: log_error(column) for column in COLUMNS}
        pairs, right = self.ordering()
        best = min(logs["roofline"], logs["rounds"])
        mean, median = statistics.mean(errors.values()), statistics.median(errors.values())
        longs = sum(point["long"] for point in self.points)
        lines = [
            (f"mean error of {len(errors)} kernels ({longs} long points of {len(self.points)})", f"{100 * mean:.1f}%", f"<= {100 * MEAN:.0f}%", mean <= MEAN),
            ("median error of kernels", f"{100 * median:.1f}%", f"<= {100 * MEDIAN:.0f}%", median <= MEDIAN),
            (f"mean |log error|; roofline + launch {logs['roofline']:.3f}, rounds x constant {logs['rounds']:.3f}",
             f"{logs['model']:.3f}", f"<= {LOG_SHARE * best:.3f}", logs["model"] <= LOG_SHARE * best),
            (f"right order, of {pairs} pairs of the same work", f"{100 * right / pairs:.1f}%" if pairs else "none",
             f">= {100 * ORDERED:.0f}%", not pairs or right >= ORDERED * pairs)]
        print()
        for what, value, limit, holds in lines:
            print(f"{what:86} {value:>8}  {limit:>9}  {'met' if holds else 'MISSED'}")
        return all(line[3] for line in lines) and not self.failed
