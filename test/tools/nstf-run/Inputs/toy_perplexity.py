"""toy_perplexity.py IDS.json RESULT.json [--window N] [--stride N] [--from N]: a result of nstf-run --perplexity on the toy package
is what the loop in transformers' documentation gives ("Perplexity of fixed-length models"), each token counted once, those
before --from not at all.

The logit of token t is -(t - s)^2, s the sum of 3 i + 1 over the tokens i before, modulo 32."""
import json
import math
import sys

ids, result = (json.load(open(path)) for path in sys.argv[1:3])
options = dict(zip(sys.argv[3::2], map(int, sys.argv[4::2])))
max_length = options.get("--window", 16)
stride = options.get("--stride", max_length // 2)

total, count, windows, prev_end = 0.0, 0, 0, 0
for begin in range(0, len(ids), stride):
    end = min(begin + max_length, len(ids))
    target_length = end - prev_end
    window = ids[begin:end]
    places = [place for place in range(max(1, len(window) - target_length), len(window)) if begin + place >= options.get("--from", 1)]
    windows += bool(places)  # a last one of one token has nothing to predict
    for place in places:
        total_before = sum(3 * token + 1 for token in window[:place]) % 32
        logits = [-float((token - total_before) ** 2) for token in range(32)]
        total += math.log(sum(map(math.exp, logits))) - logits[window[place]]
        count += 1
    prev_end = end
    if end == len(ids):
        break
assert (result["predicted"], result["tokens"], result["windows"]) == (count, len(ids), windows), (count, windows, result)
mean = total / count
assert math.isclose(result["mean_negative_log_likelihood"], mean, rel_tol=1e-12), (mean, result)
assert math.isclose(result["perplexity"], math.exp(mean), rel_tol=1e-9)
