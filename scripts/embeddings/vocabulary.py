"""Which of BERT's 30,522 tokens are kept, and a tokenizer over them: rarer words fall apart into kept pieces."""

import re

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

# Latin letters, digits and ASCII punctuation: the teacher knows English only.
KEPT = re.compile(r"(##)?([a-z0-9]+|[!-/:-@\[-`{-~])")
SINGLE = re.compile(r"(##)?[a-z0-9]")


def kept(vocabulary: list[str], limit: int) -> list[str]:
    """Every single character, then the most frequent tokens (BERT lists tokens by frequency), in BERT's order."""
    usable = [(rank, token) for rank, token in enumerate(vocabulary) if KEPT.fullmatch(token)]
    single = [entry for entry in usable if SINGLE.fullmatch(entry[1])]
    chosen = set(single)
    for entry in usable:
        if len(chosen) >= limit:
            break
        chosen.add(entry)
    return [token for _, token in sorted(chosen)]


def tokenizer(tokens: list[str]) -> Tokenizer:
    indexes = {token: index for index, token in enumerate(tokens)}
    indexes["[UNK]"] = len(tokens)
    out = Tokenizer(models.WordPiece(indexes, unk_token="[UNK]", max_input_chars_per_word=100))
    out.normalizer = normalizers.BertNormalizer(lowercase=True)
    out.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return out
