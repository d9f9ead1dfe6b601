"""Takes one thing out of a kernel's loop of products: mutate.py {none,barrier,wait,buffer} < in.s > out.s

barrier: the first s_barrier of the loop. wait: what is waited for before that barrier. buffer: what the loop writes to LDS
before it goes where it writes after it, into the buffer that is being read. The kernel is named `loop`."""
import re
import sys


def loop_of_products(lines):
    """Begin and end of the innermost loop with the most matrix instructions."""
    labels = {line.split(":")[0]: i for i, line in enumerate(lines) if re.match(r"\.LBB\w+:", line)}
    branches = [(labels[found[1]], i) for i, line in enumerate(lines)
                if (found := re.match(r"\ts_cbranch\w* (\.LBB\w+)", line)) and labels[found[1]] <= i]
    innermost = [(begin, end) for begin, end in branches
                 if not any(begin <= other[0] and other[1] <= end and other != (begin, end) for other in branches)]
    return max(innermost, key=lambda loop: sum("v_mfma" in line for line in lines[slice(*loop)]))


def places(lines, begin, end, mnemonic):
    return [i for i in range(begin, end) if lines[i].split()[:1] and lines[i].split()[0].startswith(mnemonic)]


def mutate(lines, what):
    begin, end = loop_of_products(lines)
    barrier = places(lines, begin, end, "s_barrier")[0]
    if what == "barrier":
        del lines[barrier]
    elif what == "wait":
        wait = places(lines, begin, barrier, "s_waitcnt")[-1]
        assert "lgkmcnt(0)" in lines[wait], f"expected a wait for LDS before the barrier but got {lines[wait].strip()}"
        del lines[wait]
    elif what == "buffer":
        before, after = (places(lines, *part, "ds_write") for part in ((begin, barrier), (barrier, end)))
        for wrong, right in zip(before, after, strict=True):
            value = lines[wrong].split(", ", 1)[1].split(" ", 1)[0]
            place, rest = lines[right].split(", ", 1)
            lines[wrong] = f"{place}, {value} {rest.partition(' ')[2]}"


def main():
    text = sys.stdin.read()
    name = re.search(r"\.amdhsa_kernel (\w+)", text)[1]
    lines = text.replace(name, "loop").splitlines()
    mutate(lines, sys.argv[1])
    print("\n".join(lines))


if __name__ == "__main__":
    main()
