"""How long a launch takes by the timing model, and what holds it up."""

from benchmarks import launches


def _limiter(prediction):
    """The limiter, the parts of the chip that are busiest, and for what waves stand most."""
    use = {part: share for part, share in prediction["use"].items() if part not in ("latency", "kernel launch")}
    busy = ", ".join(f"{part} {100 * share:.0f} %" for part, share in sorted(use.items(), key=lambda item: -item[1])[:3])
    stalls = prediction["stalls"]
    stood = ", ".join(f"{reason} {100 * clocks / prediction['wave_clocks']:.0f} %"
                      for reason, clocks in sorted(stalls.items(), key=lambda item: -item[1])[:3])
    return f"{prediction['limiter']} ({busy}; waves stood: {stood})"


def microseconds(build, kernel, chip, folder, repeat=1):
    """Of the last of `repeat` launches at the peak clock, launch cost apart; throws launches.Failed."""
    launch = launches.write_launch(kernel, folder / "timed.yaml", repeat=repeat)
    return launches.emulate(build, launch, f"--timing={chip.name}", "--sampled-only", f"--clock={chip.clock_mhz}")[
        "predictions"][0]["execution_ns"] / 1e3


def _at_peak(peak, case, chip):
    found = {"execution_us": peak["execution_ns"] / 1e3, "products_a_ns": case.products / peak["execution_ns"]}
    rate = chip.products_a_clock(case.product_type)
    if rate:
        found["pipe"] = case.products / (peak["clocks"] * chip.compute_units * chip.simds * rate)
    return found


def at_peak(build, kernel, case, chip, folder, timing=None):
    """What aims are of, by name, at the peak clock alone; `timing`: a file of constants in place of the chip's own. Throws
    launches.Failed."""
    launch = launches.write_launch(kernel, folder / "timed.yaml", repeat=case.launches)
    peak = launches.emulate(build, launch, f"--timing={timing or chip.name}", "--sampled-only", f"--clock={chip.clock_mhz}")[
        "predictions"][0]
    return _at_peak(peak, case, chip)


def of(build, kernel, case, chip, folder):
    """Metrics by name; throws launches.Failed."""
    launch = launches.write_launch(kernel, folder / "timed.yaml", repeat=case.launches)
    peak, *sustained = launches.emulate(build, launch, f"--timing={chip.name}", "--sampled-only")["predictions"]
    return {**_at_peak(peak, case, chip),
            "launch_us": peak["launch_ns"] / 1e3,
            "first_us": (peak["first_ns"] - peak["launch_ns"]) / 1e3,
            "sustained_us": sustained[0]["execution_ns"] / 1e3 if sustained else None,
            "sustained_mhz": sustained[0]["clock_mhz"] if sustained else None,
            "interval_us": [limit / 1e3 for limit in peak["interval_ns"]],
            "bandwidth": case.bytes / peak["execution_ns"] / chip.memory_bandwidth,
            "limiter": peak["limiter"], "why": _limiter(peak)}
