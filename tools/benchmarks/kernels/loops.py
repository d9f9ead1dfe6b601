"""Loops of a kernel's code by the ways through them: what a round executes, and what some rounds alone do."""

import collections
import dataclasses
import graphlib
import re

LINE = re.compile(r" +([0-9a-f]+) +\+([0-9a-f]+) +(?:[0-9a-f]{8} )+ *(\S.*?)(?: +; -> ([0-9a-f]+) .*)?")


@dataclasses.dataclass(frozen=True)
class Instruction:
    offset: int   # from the kernel's begin
    text: str
    next: tuple   # offsets of what may follow

    @property
    def is_matrix(self):
        return self.text.startswith(("v_mfma", "v_smfmac"))

    @property
    def is_exp(self):
        return self.text.startswith("v_exp")

    @property
    def is_vector(self):
        """None of a matrix."""
        return self.text.startswith("v_") and not self.is_matrix


@dataclasses.dataclass(frozen=True)
class Loop:
    way: tuple    # the instructions of a round
    aside: tuple  # those that it passes over, or that a branch leaves it for and comes back from


def read(text):
    """Instructions by offset, of a kernel's `nstf-emu disasm`."""
    lines = [match.groups() for match in map(LINE.fullmatch, text.splitlines()) if match]
    instructions = {}
    for place, (address, offset, words, target) in enumerate(lines):
        following = [int(offset, 16) + int(target, 16) - int(address, 16)] if target else []
        if not words.startswith(("s_branch", "s_endpgm", "s_setpc")) and place + 1 < len(lines):
            following.append(int(lines[place + 1][1], 16))
        instructions[int(offset, 16)] = Instruction(int(offset, 16), words, tuple(following))
    return instructions


def _reached(begin, following, avoided=None):
    found, waiting = set(), list(begin)
    while waiting:
        offset = waiting.pop()
        if offset not in found and offset != avoided:
            found.add(offset)
            waiting += following[offset]
    return found


def _bodies(following, before):
    """Of each loop with one entry: the entry, from where it is gone back to, all offsets."""
    begin = min(following)
    for entry in sorted(entry for entry, places in before.items() if len(places) > 1):
        outside = _reached([begin], following, entry)
        back = [place for place in before[entry] if place not in outside]
        if back:
            yield entry, back, _reached(back, before, entry) | {entry}


def loop_around(instructions, offset):
    """The smallest loop that executes this instruction, with all that comes back to it, wherever it stands. Its way is the one
    with the most matrix instructions, of several the shortest: a mask, or a factor of all sums, that a branch skips is aside.
    None where there is no loop, or one that has others inside."""
    following = {place: instruction.next for place, instruction in instructions.items()}
    before = collections.defaultdict(list)
    for place in _reached([min(following)], following):
        for target in following[place]:
            before[target].append(place)
    around = [loop for loop in _bodies(following, before) if offset in loop[2]]
    if not around:
        return None
    entry, back, body = min(around, key=lambda loop: len(loop[2]))
    inside = {place: [last for last in before[place] if last in body] if place != entry else [] for place in body}
    best, previous = {}, {}  # matrix instructions and, negative, length of a way to there
    try:
        for place in graphlib.TopologicalSorter(inside).static_order():
            previous[place] = max(inside[place], key=best.get, default=None)
            products, length = best.get(previous[place], (0, 0))
            best[place] = (products + instructions[place].is_matrix, length - 1)
    except graphlib.CycleError:
        return None
    way, place = [], max(back, key=best.get)
    while place is not None:
        way.append(instructions[place])
        place = previous[place]
    aside = body - {instruction.offset for instruction in way}
    return Loop(tuple(reversed(way)), tuple(instructions[place] for place in sorted(aside)))
