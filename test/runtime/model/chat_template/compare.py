#!/usr/bin/env python3
"""Compares chat templates with jinja2, to the byte: constructs.txt, and random conversations through templates/*.jinja.

    compare.py RENDER [--conversations N] [--seed N]

RENDER is the program of render.cpp. Prints what differs; exit status 1 where something does."""
import argparse
import json
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent / "Inputs"
sys.path.insert(0, str(HERE))
import conversations  # noqa: E402
import jinja_reference  # noqa: E402


def construct_requests():
    for line, text in enumerate((HERE / "constructs.txt").read_text().split("\n"), 1):
        if text and not text.startswith("##"):
            yield {"name": f"constructs.txt:{line}", "template": text.replace("⏎", "\n").replace("␍", "\r"), **conversations.FIXED}


def conversation_requests(count, seed):
    templates = {path.name: path.read_text() for path in sorted((HERE / "templates").glob("*.jinja"))}
    names = list(templates)
    for index, request in enumerate(conversations.generate(count, seed)):
        name = names[index % len(names)]
        yield {"name": f"{name}, conversation {index}", "template": templates[name], **request}


def main():
    parser = argparse.ArgumentParser(description="compares chat templates with jinja2")
    parser.add_argument("render")
    parser.add_argument("--conversations", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    requests = [*construct_requests(), *conversation_requests(options.conversations, options.seed)]
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    run = subprocess.run([options.render], input=lines, stdout=subprocess.PIPE, text=True, check=True)
    answers = [json.loads(line) for line in run.stdout.split("\n") if line]
    assert len(answers) == len(requests), (len(answers), len(requests))
    different, kinds = 0, {"text": 0, "refused": 0, "error": 0}
    for request, answer in zip(requests, answers):
        expected = jinja_reference.render(request)
        kind = next(iter(expected))
        kinds[kind] += 1
        # Errors are our own words; that there is one is the same.
        if (kind not in answer) if kind == "error" else (answer != expected):
            different += 1
            print(f"{request['name']}: expected {expected} but got {answer}\n  {request['template'][:200]!r}")
    print(f"{len(requests)} compared with jinja2 {jinja_reference.jinja2.__version__}, {different} differ: "
          f"{kinds['text']} texts, {kinds['refused']} refusals, {kinds['error']} errors")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
