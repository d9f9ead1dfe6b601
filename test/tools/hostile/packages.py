"""What nstf-run is given: packages with edited manifests and files, arrays, token ids, prompts."""
import hashlib
import json
import struct

from harness import Case
from texts import ESCAPES, FILES, JSON, JSON_VALUES, LONG, replaced


def run(*options):
    return ["nstf-run", "{in}", "--device=emulator", *options]


TOY = run("--ids=1,3", "--tokens=1")


def signed(text):
    """A manifest's text with the digest that belongs to it, or as it is where it has none."""
    try:
        manifest = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if not isinstance(manifest, dict):
        return text
    manifest.pop("digest", None)
    canonical = json.dumps(manifest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    try:
        manifest["digest"] = hashlib.sha256(canonical.encode()).hexdigest()
    except UnicodeEncodeError:
        return text
    return json.dumps(manifest)


def places(value, path=()):
    """The paths of all values; of a list only the first and the last."""
    if path:
        yield path
    if isinstance(value, dict):
        for key, part in value.items():
            yield from places(part, path + (key,))
    elif isinstance(value, list):
        for i in sorted({0, len(value) - 1} & set(range(len(value)))):
            yield from places(value[i], path + (i,))


def edited(manifest, path, text):
    return signed(replaced(manifest, path, text))


def manifests(base):
    manifest = json.loads((base / "manifest.json").read_text())
    manifest.pop("digest", None)
    for name, content in FILES.items():
        yield Case(f"manifest-{name}", TOY, {"manifest.json": content}, "toy")
    for name, text in JSON.items():
        yield Case(f"manifest-json-{name}", TOY, {"manifest.json": text}, "toy")
    names = [name for name in JSON_VALUES if not name.startswith("long")]
    for i, path in enumerate(places(manifest)):
        for j in range(2):
            name = names[(i * 7 + j * 8) % len(names)]
            where = ".".join(str(key) for key in path)
            yield Case(f"manifest-{where}-{name}", TOY, {"manifest.json": edited(manifest, path, JSON_VALUES[name])}, "toy", "any")
    for name in ("long-text", "long-list", "odd-text", "nul-text", "path"):
        for path in (("model", "name"), ("weights", "file"), ("targets", 0, "file"), ("targets", 0, "kernels", 0, "symbol"), ("model", "tokenizer", "file")):
            try:
                text = edited(manifest, path, JSON_VALUES[name])
            except KeyError:
                continue
            yield Case(f"manifest-name-{path[-2]}-{path[-1]}-{name}", TOY, {"manifest.json": text}, "toy", "any")
    step = ("targets", 0, "buckets", 0, "steps", 0)
    for name, grid in {"surplus": [1000, 1, 1], "many": [10 ** 10, 1, 1], "most": [2 ** 31 - 1] * 3, "none": [0, 1, 1], "two": [1, 1]}.items():
        yield Case(f"manifest-grid-{name}", TOY, {"manifest.json": edited(manifest, step + ("grid",), json.dumps(grid))}, "toy", "any")
    for name, size in {"arena": 0, "control": 2}.items():
        for large in (1 << 40, 1 << 47, 1 << 62):
            text = edited(manifest, ("buffers", 1 if name == "arena" else 2, "size"), str(large))
            yield Case(f"manifest-{name}-of-{large}", TOY, {"manifest.json": text}, "toy", "any")
    without = dict(manifest)
    yield Case("manifest-without-digest", TOY, {"manifest.json": json.dumps(without)}, "toy", "any")
    yield Case("manifest-wrong-digest", TOY, {"manifest.json": json.dumps(dict(manifest, digest="0" * 64))}, "toy")
    for key in manifest:
        text = signed(json.dumps({name: value for name, value in manifest.items() if name != key}))
        yield Case(f"manifest-without-{key}", TOY, {"manifest.json": text}, "toy", "any")


def files(base):
    for file in sorted(path.name for path in base.iterdir()):
        if file in ("manifest.json", "corpus.txt"):
            continue
        whole = (base / file).read_bytes()
        options = TOY if not file.startswith("tokenizer") else run("--prompt=a", "--tokens=1")
        for name, content in FILES.items():
            yield Case(f"package-{file}-{name}", options, {file: content}, "toy")
        for part in (1, 2, 3):
            yield Case(f"package-{file}-cut-{part}", options, {file: whole[:len(whole) * part // 4]}, "toy")
        for i in range(4):
            at = len(whole) * (2 * i + 1) // 8
            yield Case(f"package-{file}-changed-{i}", options, {file: whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1:]}, "toy", "any")


def array(header, data=b"", version=(1, 0), length=None):
    raw = header.encode() if isinstance(header, str) else header
    size = len(raw) if length is None else length
    return b"\x93NUMPY" + bytes(version) + (struct.pack("<H", size) if version[0] == 1 else struct.pack("<I", size)) + raw + data


def arrays():
    good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 64), }\n"
    data = bytes(2 * 64 * 4)
    contents = {
        "no-magic": b"x" * 200, "magic-alone": b"\x93NUMPY", "version": array(good, data, (9, 9)), "version-2-cut": array(good, data, (2, 0), 1 << 31), "length": array(good, data, length=60_000),
        "no-header": array("", data), "half": array(good[:20], data), "ill-formed": array(b"{'descr': '\xff'}", data), "escapes": array("{'descr': '" + ESCAPES + "'}", data),
        "deep": array("{'shape': " + "(" * 60_000, data, (2, 0)), "missing": array("{'descr': '<f4'}", data), "twice": array(good.replace("}", "'descr': '<f4'}"), data),
        "negative": array(good.replace("(2, 64)", "(-2, -64)"), data), "huge": array(good.replace("(2, 64)", "(4611686018427387904, 4)"), data), "digits": array(good.replace("2", "9" * 5000), data, (2, 0)),
        "rank": array(good.replace("(2, 64)", "(" + "1, " * 20_000 + ")"), data, (2, 0)), "fortran": array(good.replace("False", "True"), data), "order": array(good.replace("False", "None"), data),
        "big-endian": array(good.replace("<f4", ">f4"), data), "object": array(good.replace("<f4", "|O"), data), "complex": array(good.replace("<f4", "<c8"), data), "type": array(good.replace("<f4", "<i4"), data),
        "short": array(good, data[:-1]), "surplus": array(good, data + b"x"), "shape": array(good.replace("(2, 64)", "(64, 2)"), data), "rows": array(good.replace("(2, 64)", "(0, 64)")),
        "list": array("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}", data), "key": array("{'" + LONG[:60_000] + "': 1}", data, (2, 0)), "nul": array("{'descr': '<f4\0'}", data),
    }
    for name, content in {**contents, **FILES}.items():
        yield Case(f"npy-{name}", run("--input=x={in}/../given/x.npy", "--output=y={out}/y.npy"), {"../given/x.npy": content}, "matmul",
                   "any" if name == "twice" else "error")
    for i, text in enumerate(["", "x", "=", "x=", "=x.npy", "z={in}/../given/x.npy", "x\x1b[31m=y", "x=/dev/null", "x=/"]):
        yield Case(f"input-{i}", run(f"--input={text}", "--output=y={out}/y.npy"), {"../given/x.npy": array(good, data)}, "matmul")
    for i, text in enumerate(["", "=", "y=", "z={out}/z.npy", "y={out}/a/b.npy", "y=/proc/y.npy", "y={in}", "y={in}/manifest.json/x", "y={out}/" + "x" * 300]):
        yield Case(f"output-{i}", run("--input=x={in}/../given/x.npy", f"--output={text}"), {"../given/x.npy": array(good, data)}, "matmul")


def texts():
    for i, ids in enumerate(["", "1,,2", ",", "1,", "x", "-1", "32", "2147483648", "18446744073709551617", "1.5", "0x1", " 1", "1 2", "9" * 1000, "1," * 17 + "1", "1," * 60_000 + "1", "\x1b[31m"]):
        yield Case(f"ids-{i}", run(f"--ids={ids}", "--tokens=1"), base="toy", expect="any" if i in (3, 11, 12) else "error")
    values = {
        "--tokens": ["-1", "x", "", "99999999999999999999", "1e3", "9223372036854775808"], "--seed": ["-1", "x", "18446744073709551616", "1.5"], "--top-p": ["-1", "0", "1.1", "nan", "inf", "x", "1e400"],
        "--temperature": ["-1", "nan", "inf", "x", "1e400"], "--chunk": ["0", "-1", "x", "99999999999999999999"], "--truncate": ["0", "-1", "x"], "--device": ["", "x", "\x1b[31m"],
        "--target": ["", "gfx90a", "\x1b[31m", "x" * 100_000], "--weights": ["", "/", "/dev/zero", "none", "x\x1b[31m"], "--weights-seed": ["x", "-1", "18446744073709551616"],
        "--tokenizer": ["", "/", "none.json", "/dev/null", "x.\x1b[31m"], "--print-logits": ["{out}/a/b.npy", "/", "/proc/x", "{in}"], "--token-types": ["", "x", "-1", "0,,0"],
    }
    for option, given in values.items():
        for i, text in enumerate(given):
            yield Case(f"run{option}-{i}", run("--prompt=a", f"{option}={text}") + ([] if option == "--tokens" else ["--tokens=1"]), base="toy", expect="any", prints=option == "--print-logits")
    prompts = {"empty": "", "ill-formed": b"\xff\xfe\xc0\xaf", "controls": ESCAPES, "long": "a" * 100_000, "newlines": "\n" * 15, "unknown": "\U0001f600" * 3, "half": b"\xe6\x97"}
    for name, prompt in prompts.items():
        argument = b"--prompt=" + (prompt if isinstance(prompt, bytes) else prompt.encode())
        yield Case(f"prompt-{name}", run(argument, "--tokens=1"), base="toy", expect="any")
    for name, path in {"none": "none.nstf", "odd": "x\x1b[31m", "empty": "", "device": "/dev/null", "root": "/", "long": "x" * 5000, "ill-formed": b"\xff"}.items():
        yield Case(f"package-path-{name}", ["nstf-run", path, "--device=emulator", "--ids=1"])


TOKENIZER = {"model": {"type": "WordLevel", "vocab": {"a": 0, "u": 1}, "unk_token": "u"}}


def with_tokenizer(file="t.json"):
    return run("--prompt=a", "--tokens=1", "--tokenizer={in}/../given/" + file)


def tokenizers():
    """tokenizer.json: whole files, and parts that are well-formed and make no sense."""
    for name, content in FILES.items():
        yield Case(f"tokenizer-{name}", with_tokenizer(), {"../given/t.json": content}, "toy")
    for name, text in JSON.items():
        yield Case(f"tokenizer-json-{name}", with_tokenizer(), {"../given/t.json": text}, "toy")
    sequence = {"normalizer": "normalizers", "pre_tokenizer": "pretokenizers", "decoder": "decoders", "post_processor": "processors"}
    for part, lists in sequence.items():
        rule = {"type": "Sequence", lists: []}
        for _ in range(20):
            rule = {"type": "Sequence", lists: [rule]}
        yield Case(f"tokenizer-{part}-nested", with_tokenizer(), {"../given/t.json": json.dumps(dict(TOKENIZER, **{part: rule}))}, "toy")
        for name in ("null", "text", "list", "object", "odd-text", "deep", "two-to-64"):
            text = replaced(dict(TOKENIZER, **{part: {"type": "x"}}), [part, "type"], JSON_VALUES[name])
            yield Case(f"tokenizer-{part}-type-{name}", with_tokenizer(), {"../given/t.json": text}, "toy")
    for name, expression in {"open": "(", "deep": "(" * 30_000 + ")" * 30_000, "deep-open": "(" * 60_000, "repeat": "((((a{1,999}){1,999}){1,999}){1,999})", "classes": "[" * 30_000,
                             "odd": "\x1b[31m(", "long": "a" * 200_000, "recursion": "(?R)", "lookbehind": "(?<=a+)b", "callout": "(?C255)a", "verbs": "(*LIMIT_MATCH=1)a("}.items():
        rule = {"type": "Split", "pattern": {"Regex": expression}, "behavior": "Isolated"}
        yield Case(f"tokenizer-regex-{name}", with_tokenizer(), {"../given/t.json": json.dumps(dict(TOKENIZER, pre_tokenizer=rule))}, "toy", "any")
    many = [{"id": i + 2, "content": f"<{i}>", "special": False} for i in range(20_000)]
    yield Case("tokenizer-many-added", with_tokenizer(), {"../given/t.json": json.dumps(dict(TOKENIZER, added_tokens=many))}, "toy", "any")
    for name, tokens in {"same-id": [{"id": 5, "content": "x"}, {"id": 5, "content": "y"}], "id": [{"id": 1 << 30, "content": "x"}], "empty": [{"id": 5, "content": ""}]}.items():
        yield Case(f"tokenizer-added-{name}", with_tokenizer(), {"../given/t.json": json.dumps(dict(TOKENIZER, added_tokens=tokens))}, "toy")
    for name, content in FILES.items():
        if name not in ("missing", "dangling", "loop"):
            yield Case(f"tokenizer-config-{name}", with_tokenizer(), {"../given/t.json": json.dumps(TOKENIZER), "../given/tokenizer_config.json": content}, "toy")
    for name in ("missing", "empty", "random", "fifo", "huge", "zeros-without-end"):
        yield Case(f"sentencepiece-{name}", with_tokenizer("t.model"), {"../given/t.model": FILES[name]}, "toy")
        yield Case(f"tok512-{name}", with_tokenizer("t.bin"), {"../given/t.bin": FILES[name]}, "toy")


def growths():
    """Tokenizers whose rules multiply the text."""
    words = {"model": {"type": "WordLevel", "vocab": {"a": 0, "u": 1}, "unk_token": "u"}}
    replace = {"type": "Replace", "pattern": {"String": "a"}, "content": "aa"}
    expand = {"type": "Replace", "pattern": {"Regex": "."}, "content": "a" * 100_000}
    byte_level = {"type": "ByteLevel", "add_prefix_space": True, "use_regex": False}
    template = {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A", "type_id": 0}}] * 2, "special_tokens": {}}
    rules = {
        "normalizer-doubles": ("normalizer", "normalizers", [replace] * 40), "normalizer-expands": ("normalizer", "normalizers", [expand] * 3), "normalizer-bytes": ("normalizer", "normalizers", [{"type": "ByteLevel"}] * 60),
        "pre-tokenizer-bytes": ("pre_tokenizer", "pretokenizers", [byte_level] * 60), "post-processor-doubles": ("post_processor", "processors", [template] * 40), "decoder-doubles": ("decoder", "decoders", [replace] * 40),
        "decoder-expands": ("decoder", "decoders", [expand] * 5),
    }
    for name, (part, lists, steps) in rules.items():
        text = json.dumps(dict(words, **{part: {"type": "Sequence", lists: steps}}))
        yield Case(f"growth-{name}", run("--prompt=\u00e9a", "--tokens=4", "--tokenizer={in}/../given/t.json"), {"../given/t.json": text}, "toy", "any" if part == "decoder" else "error")
    for count in (10_000, 20_000):
        text = json.dumps(dict(words, normalizer={"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "a"}] * count}))
        yield Case(f"growth-prepends-{count}", run("--prompt=a", "--tokens=1", "--tokenizer={in}/../given/t.json"), {"../given/t.json": text}, "toy", "any")
    for name, expression, prompt in [("backtracking", "(a+)+$", "a" * 5000 + "!"), ("lookbehind", "(?<!a{1,200})b", "ab" * 5000), ("empty", "", "a"), ("alternatives", "(a|a)*b", "a" * 5000)]:
        text = json.dumps(dict(words, pre_tokenizer={"type": "Split", "pattern": {"Regex": expression}, "behavior": "Isolated"}))
        yield Case(f"growth-regex-{name}", run(f"--prompt={prompt}", "--tokens=1", "--tokenizer={in}/../given/t.json"), {"../given/t.json": text}, "toy", "any")


def cases(bases):
    yield from manifests(bases["toy"])
    yield from files(bases["toy"])
    yield from arrays()
    yield from texts()
    yield from tokenizers()
    yield from growths()
