#!/usr/bin/env python3
"""Writes sampling.json: what Hugging Face's transformers make of logits before a token is drawn, for SamplerTest.

    python3 -m venv venv && venv/bin/pip install torch transformers
    venv/bin/python test/runtime/model/Inputs/make_sampling.py

Run once; the result is in the repository. Each case has the options of Sampler.h that are not at their defaults, the
logits, the tokens of the prompt and of the text so far, and the probabilities of all tokens in float64. The processors
run in the order of transformers' GenerationMixin._get_logits_processor. Frequency and presence penalty, which
transformers lack, are vLLM's two lines (https://docs.vllm.ai, SamplingParams: "based on their frequency in the
generated text so far"; "based on whether they appear"), after the repetition penalty as there.
"""
import json
import pathlib
import random
import struct

import torch
import transformers
from transformers.generation import logits_process as steps

VOCABULARY = 40


def float32(number):
    return struct.unpack("f", struct.pack("f", number))[0]


def logits_of(generator, spread, masked):
    row = [float32(generator.gauss(0, spread)) for _ in range(VOCABULARY)]
    for token in masked:
        row[token] = float("-inf")
    return row


def frequency_and_presence(scores, text, frequency, presence):
    counts = torch.bincount(torch.tensor(text, dtype=torch.long), minlength=VOCABULARY).double()
    scores = scores - frequency * counts
    return scores - presence * (counts > 0).double()


def probabilities(options, logits, prompt, text):
    ids = torch.tensor([prompt + text])
    scores = torch.tensor([logits], dtype=torch.float64)
    if "logit_bias" in options:
        scores = steps.SequenceBiasLogitsProcessor([[[int(i)], b] for i, b in options["logit_bias"].items()])(ids, scores)
    if "repetition_penalty" in options:
        scores = steps.RepetitionPenaltyLogitsProcessor(options["repetition_penalty"])(ids, scores)
    scores = frequency_and_presence(scores, text, options.get("frequency_penalty", 0), options.get("presence_penalty", 0))
    if "temperature" in options:
        scores = steps.TemperatureLogitsWarper(options["temperature"])(ids, scores)
    if "top_k" in options:
        scores = steps.TopKLogitsWarper(options["top_k"])(ids, scores)
    if "top_p" in options:
        scores = steps.TopPLogitsWarper(options["top_p"])(ids, scores)
    if "min_p" in options:
        scores = steps.MinPLogitsWarper(options["min_p"])(ids, scores)
    return torch.softmax(scores, dim=-1)[0].tolist()


# Temperatures and biases are float32 numbers.
OPTIONS = [
    {},
    {"temperature": 0.75}, {"temperature": 2.5},
    {"top_k": 1}, {"top_k": 7}, {"top_k": 100},
    {"top_p": 0.3}, {"top_p": 0.9}, {"top_p": 0.999},
    {"min_p": 0.05}, {"min_p": 0.5}, {"min_p": 1.0},
    {"repetition_penalty": 1.3}, {"repetition_penalty": 0.8},
    {"frequency_penalty": 0.4}, {"frequency_penalty": -0.7},
    {"presence_penalty": 1.1}, {"presence_penalty": -0.25},
    {"logit_bias": {"0": 2.5, "17": -4.75, "39": 100.0}}, {"logit_bias": {"3": -100.0, "5": 0.125}},
    {"temperature": 0.5, "top_k": 12, "top_p": 0.8},
    {"top_k": 20, "min_p": 0.1},
    {"temperature": 1.5, "top_p": 0.95, "min_p": 0.02},
    {"temperature": 4.0, "top_k": 9, "top_p": 0.7, "min_p": 0.6},
    {"repetition_penalty": 1.2, "frequency_penalty": 0.3, "presence_penalty": 0.6},
    {"repetition_penalty": 1.1, "logit_bias": {"4": 3.0, "8": -3.0, "12": 1.5}, "top_k": 5},
    {"logit_bias": {"1": 1.25, "2": -0.5}, "repetition_penalty": 1.4, "frequency_penalty": 0.2, "presence_penalty": 0.1,
     "temperature": 0.75, "top_k": 25, "top_p": 0.85, "min_p": 0.03},
]


def main():
    generator = random.Random(1)
    cases = []
    for options in OPTIONS:
        for spread, masked, length in ((1, [], 0), (4, [6, 20, 21], 9)):
            logits = logits_of(generator, spread, masked)
            prompt = [generator.randrange(VOCABULARY) for _ in range(5)]
            text = [generator.randrange(12) for _ in range(length)]
            expected = probabilities(options, logits, prompt, text)
            cases.append({"options": options, "logits": [x if x > float("-inf") else None for x in logits],
                          "prompt": prompt, "text": text, "probabilities": expected})
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    text = f'{{"made_with": "transformers {transformers.__version__}, torch {torch.__version__}",\n"cases": [\n{lines}\n]}}\n'
    (pathlib.Path(__file__).resolve().parent / "sampling.json").write_text(text)
    print(f"{len(cases)} cases")


if __name__ == "__main__":
    main()
