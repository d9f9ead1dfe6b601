"""Which aims are missed."""

TIMED = {"pipe", "over_triton", "execution_us", "rate"}


def _limit(bound, chip):
    return bound.get(chip) if isinstance(bound, dict) else bound


def check(aims):
    """Throws ValueError where a bound is neither min nor max."""
    for metric, bounds in aims.items():
        if set(bounds) - {"min", "max"}:
            raise ValueError(f"{metric}: expected min or max but got {', '.join(bounds)}")


def text(value):
    if value is None:
        return "none"
    return f"{value:.4g}" if isinstance(value, float) and abs(value) < 1e4 else f"{value:.0f}"


def missed(aims, found, chip, skipped=()):
    """A line for each aim that the metrics found don't meet; `skipped`: metrics that nobody asked for."""
    lines = []
    for metric, bounds in aims.items():
        for kind, bound in bounds.items():
            limit, value = _limit(bound, chip), found.get(metric)
            if limit is None or metric in skipped:
                continue
            is_met = value is not None and (value >= limit if kind == "min" else value <= limit)
            if not is_met:
                at = "at least" if kind == "min" else "at most"
                lines.append(f"{metric}: expected {at} {limit} but got {text(value)}")
    return lines
