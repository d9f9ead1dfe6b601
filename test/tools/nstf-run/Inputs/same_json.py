"""same_json.py RESULT TEXT IDS: a result of nstf-run --json says what nstf-run prints without it."""
import json
import math
import sys

result = json.loads(open(sys.argv[1]).read())
text, ids = open(sys.argv[2]).read(), [int(word) for word in open(sys.argv[3]).read().split()]
assert result["prompt_ids"] + result["ids"] == ids, ids
assert result["prompt"] + result["text"] + "\n" == text, text
assert len(result["logprobs"]) == len(result["ids"])
for token, record in zip(result["ids"], result["logprobs"]):
    assert record["id"] == token and len(record["likeliest"]) == 2
    assert record["likeliest"][0]["id"] == token  # it was greedy
    assert 0 < math.exp(record["likeliest"][1]["logprob"]) < math.exp(record["logprob"]) <= 1
assert "".join(record["text"] for record in result["logprobs"]) == result["text"]
print(f"{len(result['ids'])} new tokens, text and ids as without --json, logprobs of 2 likeliest")
