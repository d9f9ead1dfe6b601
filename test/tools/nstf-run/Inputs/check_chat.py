"""check_chat.py FILE PACKAGE EXPECTED KIND OPTION...: a conversation that nstf-run --chat --json held with these options.

Every turn's ids are those that transformers makes of the conversation (EXPECTED, written by make_chat_expected.py); the
caches were believed as far as they hold the same ids; and a run from the start says the same.
"""
import json
import pathlib
import subprocess
import sys

file, package, expected, kind, *options = sys.argv[1:]
turns = [json.loads(line) for line in open(file)]
wanted = json.loads(pathlib.Path(expected).read_text())[kind]
assert len(turns) == len(wanted), (len(turns), len(wanted))
held = []
kept = []
for turn, want in zip(turns, wanted):
    assert turn["text"] == want["answer"], (turn["text"], want["answer"])
    assert turn["prompt"] == want["prompt"], (turn["prompt"], want["prompt"])
    assert turn["prompt_ids"] == want["ids"], (turn["prompt_ids"], want["ids"])
    ids = turn["prompt_ids"]
    common = next((i for i, (a, b) in enumerate(zip(held, ids)) if a != b), min(len(held), len(ids)))
    assert turn["held_tokens"] == min(common, len(ids) - 1), (turn["held_tokens"], common, len(ids))
    kept.append((common, len(held)))
    held = (ids + turn["ids"])[:-1]

    command = ["nstf-run", package, "--device=emulator", "--ids", ",".join(map(str, ids)), "--json", "--logprobs=5",
               "--quiet", f"--tokens={len(turn['ids'])}", *options]
    alone = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    assert alone["ids"] == turn["ids"], (alone["ids"], turn["ids"])
    for mine, other in zip(turn["logprobs"], alone["logprobs"]):
        for a, b in zip([mine] + mine["likeliest"], [other] + other["likeliest"]):
            assert a["id"] == b["id"] and abs(a["logprob"] - b["logprob"]) < 2e-3, (a, b)
# What each template is there for.
later = kept[1:]
if kind == "trained":  # only adds: all that was run is held
    assert all(common == all_ids for common, all_ids in later), kept
else:  # an answer comes back otherwise than it was sampled, or shorter
    assert all(common < all_ids for common, all_ids in later), kept
print("checked", len(turns), "turns, held", [turn["held_tokens"] for turn in turns])
