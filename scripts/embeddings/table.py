"""The binary table: header, scale per token, int8 vectors, tokens. Little-endian throughout."""

import struct

import numpy as np

MAGIC = b"PMEMBED1"


def quantised(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    scales = (np.abs(vectors).max(1) / 127).astype(np.float32)
    scales = np.maximum(scales, np.float32(1e-12))
    return scales, np.rint(vectors / scales[:, None]).clip(-127, 127).astype(np.int8)


def encoded(tokens: list[str], vectors: np.ndarray) -> bytes:
    text = "\n".join(tokens).encode("utf-8")
    scales, steps = quantised(vectors)
    header = MAGIC + struct.pack("<III", len(tokens), vectors.shape[1], len(text))
    return header + scales.astype("<f4").tobytes() + steps.tobytes() + text
