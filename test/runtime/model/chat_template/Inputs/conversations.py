"""Random conversations, the same for a seed."""
import random

TOOLS = [
    {"type": "function", "function": {
        "name": "get_weather", "description": "The weather of a city, \"now\" or <later> & élan",
        "parameters": {"type": "object", "properties": {
            "city": {"type": "string", "description": "A city's name"},
            "days": {"type": "integer", "default": 3, "enum": [1, 3, 7]},
            "unit": {"anyOf": [{"type": "string"}, {"type": "null"}]}}, "required": ["city"]}}},
    {"type": "function", "function": {"name": "roll", "parameters": {"type": "object", "properties": {}}}},
]
# What constructs.txt is rendered with.
FIXED = {
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "  Grüße, \"you\" & <me>\n"},
        {"role": "assistant", "content": "日本語 it's\tok"},
        {"role": "user", "content": ""},
    ],
    "tools": TOOLS,
    "variables": {
        "bos_token": "<s>", "eos_token": "</s>", "n": 7, "big": 9007199254740993, "f": 2.5, "yes": True, "nothing": None, "text": "Hello wörld",
        "many": [3, 1, 2], "words": ["pear", "Apple", "fig", "apple"], "empty": [],
        "people": [{"name": "Ann", "age": 41, "home": {"city": "Oslo"}}, {"name": "bob", "age": 7, "home": {"city": "Rome"}},
                   {"name": "Cid", "age": 41, "home": {"city": "oslo"}}],
        "table": {"b": 1, "a": [1, 2], "c": {"d": None}},
    },
}
PIECES = ["", " ", "\n", "\r\n", "\t", "Hello", "wörld", "日本", "🙂", "e\u0301", "'", '"', "\\", "<", "&", "{{ x }}", "{% if %}", "{#", "#}",
          "<|im_start|>", "<|im_end|>", "[INST]", "</s>", "<<SYS>>", "<think>", "</think>", "</think>\n\n", "0", "-1.5", "null", "\u00a0", "\u2028", "\x1c",
          "ß", "İ", "ǆ", "\x7f", "\u200b", "\ufeff", "a" * 40]


def text(random_, longest=8):
    return random_.choice(["", " "]).join(random_.choice(PIECES) for _ in range(random_.randrange(longest)))


def value(random_, depth=2):
    kind = random_.randrange(8 if depth else 6)
    if kind == 0:
        return random_.choice([True, False, None])
    if kind == 1:
        return random_.randrange(-1000, 1000) * random_.choice([1, 10**12])
    if kind == 2:
        return random_.choice([0.1, 1e22, -2.5e-7, 3.0, 1e16, 123456.789, 5e-324])
    if kind < 6:
        return text(random_, 4)
    if kind == 6:
        return [value(random_, depth - 1) for _ in range(random_.randrange(3))]
    return {text(random_, 3): value(random_, depth - 1) for _ in range(random_.randrange(3))}


def call(random_):
    arguments = value(random_)
    return {"type": "function", "id": text(random_, 3),
            "function": {"name": random_.choice(["get_weather", "roll"]), "arguments": arguments if isinstance(arguments, (dict, str)) else {"x": arguments}}}


def message(random_, role):
    result = {"role": role, "content": text(random_)}
    if role == "assistant":
        if random_.random() < 0.2:
            result["reasoning_content"] = text(random_)
        if random_.random() < 0.3:
            result["content"] = "<think>" + text(random_) + "</think>" + result["content"]
        if random_.random() < 0.3:
            result["tool_calls"] = [call(random_) for _ in range(random_.randrange(1, 3))]
    return result


def generate(count, seed):
    random_ = random.Random(seed)
    for _ in range(count):
        messages = [message(random_, "system")] if random_.random() < 0.4 else []
        for _ in range(random_.randrange(5)):
            messages.append(message(random_, "user"))
            messages.append(message(random_, "assistant"))
            while random_.random() < 0.2:
                messages.append(message(random_, "tool"))
        if random_.random() < 0.7:
            messages.append(message(random_, "user"))
        if random_.random() < 0.1:
            random_.shuffle(messages)
        variables = {"bos_token": "<s>", "eos_token": "</s>"}
        if random_.random() < 0.5:
            variables["enable_thinking"] = random_.random() < 0.5
        if random_.random() < 0.2:
            variables["extra"] = value(random_)
        yield {"messages": messages, "tools": random_.choice([None, None, [], TOOLS, TOOLS[:1]]), "variables": variables,
               "add_generation_prompt": random_.random() < 0.5}
