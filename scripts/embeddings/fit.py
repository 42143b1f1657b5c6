"""Token vectors whose sum comes closest to the teacher's vector of the whole sentence.

The model2vec method gives the prior: the teacher's output for a token alone, reduced by PCA and weighted by
frequency rank (SIF). A ridge regression over the corpus then moves each vector as far as its sentences ask for,
so weights of stop words and meanings inside sentences are learned and rare tokens keep their prior.
"""

import numpy as np
import scipy.sparse as sparse

SIF = 1e-4
RIDGE = 1.0
ITERATIONS = 60


def principal_axes(targets: np.ndarray, dimension: int) -> np.ndarray:
    """The leading axes of the centred targets, with the sign that makes the largest component positive."""
    _, axes = np.linalg.eigh(targets.T @ targets)
    axes = axes[:, ::-1][:, :dimension]
    signs = np.sign(axes[np.abs(axes).argmax(0), np.arange(axes.shape[1])])
    return axes * signs


def counts(documents: list[list[int]], token_count: int) -> sparse.csr_matrix:
    """One row per sentence; each occurrence weighs 1/sqrt(length), so that long sentences do not shrink."""
    rows, columns, weights = [], [], []
    for row, tokens in enumerate(documents):
        rows += [row] * len(tokens)
        columns += tokens
        weights += [len(tokens) ** -0.5] * len(tokens)
    return sparse.csr_matrix((weights, (rows, columns)), shape=(len(documents), token_count))


def ridge(matrix: sparse.csr_matrix, residual: np.ndarray) -> np.ndarray:
    """Conjugate gradients, all columns at once: (X'X + RIDGE) D = X' residual."""
    transposed = matrix.T.tocsr()
    remainder = transposed @ residual
    solution = np.zeros_like(remainder)
    direction = remainder.copy()
    squares = (remainder * remainder).sum(0)
    for _ in range(ITERATIONS):
        product = transposed @ (matrix @ direction) + RIDGE * direction
        step = squares / np.maximum((direction * product).sum(0), 1e-30)
        solution += step * direction
        remainder -= step * product
        next_squares = (remainder * remainder).sum(0)
        direction = remainder + (next_squares / np.maximum(squares, 1e-30)) * direction
        squares = next_squares
    return solution


def token_vectors(
    alone: np.ndarray, ranks: np.ndarray, documents: list[list[int]], targets: np.ndarray, dimension: int
) -> np.ndarray:
    """`alone`: the prior of each token; `ranks`: its frequency rank, from 1; `targets`: a row per document."""
    centred = targets - targets.mean(0)
    axes = principal_axes(centred, dimension)
    wanted = centred @ axes
    frequency = 1.0 / ranks
    weight = SIF / (SIF + frequency / frequency.sum())
    prior = ((alone - alone.mean(0)) @ axes) * weight[:, None]
    matrix = counts(documents, len(ranks))
    start = matrix @ prior
    prior *= (start * wanted).sum() / (start * start).sum()
    return prior + ridge(matrix, wanted - matrix @ prior)
