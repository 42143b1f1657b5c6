"""The data sets of the clustering fixtures: integer vectors from a seed, the same in Python and in TypeScript.

test/unit/aggregation/clustering-data.ts makes the same vectors; only labels are stored.
"""

MASK = 0xFFFFFFFF
CENTRE_WEIGHT = 16


class Draws:
    """xorshift32 (G. Marsaglia, "Xorshift RNGs", 2003)."""

    def __init__(self, seed: int):
        self.state = seed

    def next(self) -> int:
        x = self.state
        x ^= (x << 13) & MASK
        x ^= x >> 17
        x ^= (x << 5) & MASK
        self.state = x
        return x

    def bell(self) -> int:
        """Sum of four bytes less its mean: nearly normal."""
        x = self.next()
        return (x & 255) + (x >> 8 & 255) + (x >> 16 & 255) + (x >> 24) - 510

    def vector(self, dimension: int) -> list[int]:
        return [self.bell() for _ in range(dimension)]


def scaled(vector, factor):
    return [factor * value for value in vector]


def added(left, right):
    return [one + other for one, other in zip(left, right)]


def around(draws, centre, spread, count):
    """Rows of a blob: two of them have a cosine of about 256 / (256 + spread^2)."""
    return [
        added(scaled(centre, CENTRE_WEIGHT), scaled(draws.vector(len(centre)), spread))
        for _ in range(count)
    ]


def rows_of_part(draws, part, dimension):
    kind = part["kind"]
    count = part["count"]
    if kind == "blobs":
        rows = []
        for _ in range(part["blobs"]):
            rows += around(draws, draws.vector(dimension), part["spread"], count)
        return rows
    if kind == "nested":
        rows = []
        for _ in range(part["blobs"]):
            whole = draws.vector(dimension)
            for _ in range(part["inner"]):
                centre = added(scaled(whole, 2), draws.vector(dimension))
                rows += around(draws, centre, part["spread"], count)
        return rows
    if kind == "arc":
        one, other = draws.vector(dimension), draws.vector(dimension)
        return [
            added(
                added(scaled(one, count - 1 - step), scaled(other, step)),
                scaled(draws.vector(dimension), part["spread"]),
            )
            for step in range(count)
        ]
    if kind == "copies":
        return [draws.vector(dimension)] * count
    if kind == "noise":
        return [draws.vector(dimension) for _ in range(count)]
    if kind == "zeros":
        return [[0] * dimension] * count
    raise ValueError(f"unknown part {kind}")


def rows_of(data_set):
    draws = Draws(data_set["seed"])
    rows = []
    for part in data_set["parts"]:
        rows += rows_of_part(draws, part, data_set["dimension"])
    return rows
