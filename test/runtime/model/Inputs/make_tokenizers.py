#!/usr/bin/env python3
"""Makes the small tokenizer.json files of the tests, and what Hugging Face's library does with them.

    make_tokenizers.py FOLDER

Needs the packages tokenizers and sentencepiece from PyPI. Each kind is a pipeline as a family of models has it, trained on
the texts below; KIND.json is the tokenizer, KIND.expected.json what the library answers. Training is not repeatable to the
id between versions of the library, so the files are stored in the repository and this script is run to make new ones.
"""
import json
import pathlib
import random
import sys
import tempfile

import sentencepiece
from tokenizers import (AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors,
                        trainers)

CORPUS = [
    "Once upon a time there was a little dog who lived in a small house near the river.",
    "The quick brown fox jumps over the lazy dog; the dog doesn't mind, it's asleep.",
    "I'll say it again: we've 12 apples, 345 pears and 6789 plums, haven't we?",
    "def add(a, b):\n    return a + b\n\n\nprint(add(1, 2))\n\tif x != y: pass",
    "Größe, Straße, über, naïve café, résumé, Ångström, İstanbul, ŁÓDŹ",
    "日本語のテキスト。中文文本，北京大学。한국어 텍스트입니다.",
    "Привет, мир! Как дела? Η γλώσσα είναι ελληνική.",
    "مرحبا بالعالم שלום עולם हिन्दी पाठ ภาษาไทย",
    "emoji 😀👍🏽👩‍👩‍👧 and symbols €£¥ ±∞ ½ ² ① Ⅷ",
    "the the the cat cat sat on on the mat, and the dog and the cat play all day long.",
] * 3

TEXTS = [
    "", " ", "   ", "a", "Hello, world!", "  two  leading and   inner spaces  ", "Once upon a time",
    "tabs\tand\nnew lines\r\n\r\n\nmore \n x", "I'll they've IT'S don't we'D ’s 'S 'ſ", "1 12 123 1234567890 3.14e-10 ½²①Ⅷ٣",
    "naïve café résumé", "nai\u0308ve cafe\u0301 re\u0301sume\u0301 A\u030a \u1e9b\u0323 ﬁﬂ Ⅳ ㍿ ｶﾞ", "İstanbul ISTANBUL ıiİ ß ẞ Σς ŁÓDŹ",
    "日本語のテキスト、中文。한국어 텍스트", "Привет, мир! γλώσσα", "مرحبا بالعالم \u202bשלום\u202c עולם", "हिन्दी क्षि ภาษาไทย",
    "😀👍🏽👩‍👩‍👧🇩🇪 ❤️ \U0001f9d1\u200d\U0001f680", "\u0000a\u0001b\u007fc\u0085d\u00ade\u200bf\u2028g\u3000h\ufeffi\u00a0j\u180ek\ufffdl",
    "a\u0300\u0301\u0302\u0303 Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤", "x<s>y</s>z <|endoftext|> <|endoftext|>end [MASK] [CLS]a[SEP] <mask>  b",
    "<unk> ▁under▁score ▁ ##ing Ġ <0x41> <0xE6>", "new new2 renew newly a.new new", "return  return   x    y     z                a",
    "def f(x):\n    return x+1  # comment\n", "https://example.com/a?b=c&d=e_f#g", "CamelCase snake_case kebab-case ALLCAPS",
    "don't do not stop . , ? ! ' 'm 's n't", "antidisestablishmentarianism pneumonoultramicroscopicsilicovolcanoconiosis" + "x" * 120,
    "\U00010348\U0001d573\U000e0041\U0010fffd\ue000\ufdd0", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "end with space ", "\n", "'", "\u0130\u0307",
]

GPT4 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|"
        r"\s+(?!\S)|\s+")
QWEN = GPT4.replace("{1,3}", "")
SPECIAL = dict(special=True, normalized=False)


def train(tokenizer, trainer):
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer


def edited(tokenizer, edit):
    """The tokenizer with a change to its file."""
    document = json.loads(tokenizer.to_str())
    edit(document)
    return Tokenizer.from_str(json.dumps(document))


def byte_level(pre_tokenizer, special, normalizer=None, **model):
    tokenizer = Tokenizer(models.BPE(**model))
    if normalizer:
        tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoders.ByteLevel()
    train(tokenizer, trainers.BpeTrainer(vocab_size=420, show_progress=False, special_tokens=special,
                                         initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    return tokenizer


def gpt2():
    tokenizer = byte_level(pre_tokenizers.ByteLevel(add_prefix_space=False), ["<|endoftext|>"])
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    return tokenizer


def llama3():
    splits = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(GPT4), "isolated"),
                                      pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer = byte_level(splits, [], ignore_merges=True)
    tokenizer.add_special_tokens([AddedToken("<s>", **SPECIAL), AddedToken("<|endoftext|>", **SPECIAL)])
    tokenizer.post_processor = processors.Sequence([
        processors.ByteLevel(), processors.TemplateProcessing(
            single="<s> $A", pair="<s> $A <s>:1 $B:1", special_tokens=[("<s>", tokenizer.token_to_id("<s>"))])])
    return tokenizer


def qwen2():
    splits = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(QWEN), "isolated"),
                                      pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer = byte_level(splits, [], normalizers.NFC())
    tokenizer.add_special_tokens([AddedToken("<|endoftext|>", **SPECIAL)])
    tokenizer.add_tokens([AddedToken("new", single_word=True, normalized=True), AddedToken("<mask>", lstrip=True)])
    return tokenizer


def neox():
    tokenizer = byte_level(pre_tokenizers.ByteLevel(add_prefix_space=True), ["<|endoftext|>"])
    tokenizer.add_tokens([AddedToken(" " * n, normalized=False) for n in range(12, 1, -1)])
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=True)
    return tokenizer


def deepseek():
    splits = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(r"\p{N}{1,3}"), "isolated"), pre_tokenizers.Split(Regex("[一-龥\u3040-ゟ゠-ヿ]+"), "isolated"),
        pre_tokenizers.Split(Regex(r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| "
                                   r"?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    return byte_level(splits, ["<|endoftext|>"])


def clip():
    tokenizer = Tokenizer(models.BPE(unk_token="<|endoftext|>", end_of_word_suffix="</w>", continuing_subword_prefix=""))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "),
                                                 normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"),
                             "removed", invert=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    train(tokenizer, trainers.BpeTrainer(vocab_size=300, show_progress=False, end_of_word_suffix="</w>",
                                         special_tokens=["<|startoftext|>", "<|endoftext|>"]))
    tokenizer.decoder = decoders.BPEDecoder("</w>")
    tokenizer.post_processor = processors.RobertaProcessing(("<|endoftext|>", 1), ("<|startoftext|>", 0),
                                                            add_prefix_space=False, trim_offsets=False)
    return tokenizer


def sentencepiece_bpe(split_first):
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    special = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    train(tokenizer, trainers.BpeTrainer(vocab_size=460, show_progress=False, special_tokens=special, limit_alphabet=80,
                                         max_token_length=12))
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", pair="<s> $A <s> $B:1",
                                                             special_tokens=[("<s>", 1)])
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(),
                                           decoders.Strip(" ", 1, 0)])

    def edit(document):
        document["added_tokens"] = document["added_tokens"][:3]
        if not split_first:
            document["pre_tokenizer"] = None
            document["normalizer"] = {"type": "Sequence", "normalizers": [
                {"type": "Prepend", "prepend": "▁"},
                {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]}
    return edited(tokenizer, edit)


def llama2():
    def edit(document):
        for token in document["added_tokens"]:
            token["normalized"] = token["content"] == "</s>"
    return edited(sentencepiece_bpe(split_first=False), edit)


def mistral():
    return sentencepiece_bpe(split_first=True)


def gemma():
    """Spaces by a normalizer, split before each, unknown characters without bytes."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True))
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.pre_tokenizer = pre_tokenizers.Split("▁", "merged_with_previous")
    train(tokenizer, trainers.BpeTrainer(vocab_size=260, show_progress=False, special_tokens=["<unk>", "<s>"], limit_alphabet=60))
    tokenizer.decoder = decoders.Sequence([decoders.Fuse(), decoders.Replace("▁", " "), decoders.Strip(" ", 1, 0)])
    return tokenizer


def bert(lowercase):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=40))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    train(tokenizer, trainers.WordPieceTrainer(vocab_size=400, show_progress=False, limit_alphabet=150,
                                               special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]))
    ids = [(token, tokenizer.token_to_id(token)) for token in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = (processors.TemplateProcessing(single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
                                                              special_tokens=ids)
                                if lowercase else processors.BertProcessing(ids[1], ids[0]))
    tokenizer.decoder = decoders.WordPiece(prefix="##", cleanup=lowercase)
    return tokenizer


def unigram():
    """A table of replacements of SentencePiece's, small because it is our own."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        rules = {"ﬁ": "fi", "½": "1/2", "①": "1", "e\u0301": "é", "\u00a0": " ", "\u200b": "", "㍿": "株式会社", "…": "..."}
        (folder / "rules.tsv").write_text("".join(
            " ".join(f"{ord(c):X}" for c in key) + "\t" + " ".join(f"{ord(c):X}" for c in value) + "\n"
            for key, value in rules.items()))
        (folder / "corpus.txt").write_text("\n".join(CORPUS))
        sentencepiece.SentencePieceTrainer.train(
            input=str(folder / "corpus.txt"), model_prefix=str(folder / "m"), vocab_size=300, model_type="unigram",
            normalization_rule_tsv=str(folder / "rules.tsv"), minloglevel=2, hard_vocab_limit=False)
        model = (folder / "m.model").read_bytes()
    charsmap = read_charsmap(model)
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence([normalizers.Precompiled(charsmap), normalizers.Replace(Regex(" {2,}"), " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    train(tokenizer, trainers.UnigramTrainer(vocab_size=300, show_progress=False, unk_token="<unk>",
                                             special_tokens=["<pad>", "</s>", "<unk>", "<mask>"]))
    tokenizer.add_special_tokens([AddedToken("<mask>", lstrip=True, rstrip=True, **SPECIAL)])
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", pair="$A </s> $B </s>",
                                                             special_tokens=[("</s>", 1)])
    tokenizer.decoder = decoders.Metaspace()
    return tokenizer


def read_charsmap(model):
    """The field precompiled_charsmap (2) of normalizer_spec (3) in a SentencePiece ModelProto."""
    def fields(data):
        at = 0
        def varint():
            nonlocal at
            value = shift = 0
            while True:
                byte = data[at]
                at += 1
                value |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    return value
        while at < len(data):
            key = varint()
            if key & 7 == 2:
                size = varint()
                yield key >> 3, data[at:at + size]
                at += size
            elif key & 7 == 0:
                varint()
            else:
                at += {1: 8, 5: 4}[key & 7]
    spec = next(value for number, value in fields(model) if number == 3)
    return next(value for number, value in fields(spec) if number == 2)


def words():
    tokenizer = Tokenizer(models.WordLevel(unk_token="<unk>"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase(),
                                                 normalizers.Strip()])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Whitespace(), pre_tokenizers.Punctuation("contiguous"),
                                                       pre_tokenizers.Digits(individual_digits=True)])
    return train(tokenizer, trainers.WordLevelTrainer(vocab_size=200, show_progress=False, special_tokens=["<unk>", "<s>"]))


def splits():
    """Ways of splitting that no family above has."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", continuing_subword_prefix="@@"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Nmt(), normalizers.Replace("ss", "S")])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.CharDelimiterSplit("_"), pre_tokenizers.Split(Regex(r"(?=[A-Z])"), "merged_with_next"),
        pre_tokenizers.Split(",", "merged_with_next"), pre_tokenizers.Digits(), pre_tokenizers.Split(Regex(r"\w+"), "contiguous"),
        pre_tokenizers.Punctuation("merged_with_previous")])
    train(tokenizer, trainers.BpeTrainer(vocab_size=300, show_progress=False, special_tokens=["<unk>"],
                                         continuing_subword_prefix="@@"))
    tokenizer.decoder = decoders.Sequence([decoders.Replace(Regex("^@@"), ""), decoders.Strip("e", 1, 0)])
    return tokenizer


KINDS = {
    "gpt2": gpt2, "llama3": llama3, "qwen2": qwen2, "neox": neox, "deepseek": deepseek, "clip": clip, "llama2": llama2,
    "mistral": mistral, "gemma": gemma, "bert": lambda: bert(True), "bert-cased": lambda: bert(False), "unigram": unigram,
    "words": words, "splits": splits,
}


def odd_ids(tokenizer):
    """Special tokens that decoding does not take for such: a normalized one changes its name (library 0.23)."""
    return {id for id, token in tokenizer.get_added_tokens_decoder().items()
            if token.special and tokenizer.id_to_token(id) != token.content}


def answers(tokenizer, texts):
    """What the library says of each text."""
    result = []
    odd = odd_ids(tokenizer)
    for text in texts:
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        prompt = tokenizer.encode(text)
        result.append({"text": text, "ids": ids, "prompt": prompt.ids, "types": prompt.type_ids,
                       "decoded": tokenizer.decode([id for id in ids if id not in odd])})
    return result


def ids_of(tokenizer, seed, count=20):
    """Ids as no text has them. Bytes as tokens are left out: see Decoder.h for what differs there."""
    names = {id: name for name, id in tokenizer.get_vocab().items()}
    odd = odd_ids(tokenizer)
    known = sorted(id for id, name in names.items() if not name.startswith("<0x") and id not in odd)
    draw = random.Random(seed)
    return [[draw.choice(known) for _ in range(draw.randrange(1, 12))] for _ in range(count)]


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in KINDS.items():
        document = json.loads(make().to_str())
        if name in ("gpt2", "llama2"):  # merges as strings, as files before 2024 have them
            document["model"]["merges"] = [" ".join(pair) for pair in document["model"]["merges"]]
        text = json.dumps(document)
        # As it is read: saving may change what a tokenizer does.
        tokenizer = Tokenizer.from_str(text)
        expected = {"size": max(tokenizer.get_vocab().values()) + 1, "texts": answers(tokenizer, TEXTS),
                    "decodes": [{"ids": ids, "decoded": tokenizer.decode(ids)} for ids in ids_of(tokenizer, name)]}
        (folder / f"{name}.json").write_text(json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n")
        lines = json.dumps(expected, ensure_ascii=False, separators=(",", ":")).replace('},{"text"', '},\n{"text"')
        (folder / f"{name}.expected.json").write_text(lines + "\n")
        print(name, expected["size"])


if __name__ == "__main__":
    main()
