"""Which data sets the fixtures hold."""


def blobs(count, number, spread):
    return {"kind": "blobs", "blobs": number, "spread": spread, "count": count}


def noise(count):
    return {"kind": "noise", "count": count}


def data_set(name, seed, parts, min_cluster_size=3, similarity=0.5, dimension=64):
    return {
        "name": name,
        "seed": seed,
        "dimension": dimension,
        "minClusterSize": min_cluster_size,
        "similarity": similarity,
        "parts": parts,
    }


SETS = [
    data_set("49 rows: 7 blobs", 101, [blobs(7, 7, 9)]),
    data_set("49 rows: blobs and noise", 102, [blobs(6, 5, 10), noise(19)], 2),
    data_set("49 rows: nested blobs", 103, [{"kind": "nested", "blobs": 2, "inner": 3, "spread": 20, "count": 8}, noise(1)], 2),
    data_set("40 rows: copies and zeros", 104, [blobs(8, 3, 9), {"kind": "copies", "count": 6}, {"kind": "zeros", "count": 4}, noise(6)], 2),
    data_set("50 rows: 5 blobs", 201, [blobs(10, 5, 9)]),
    data_set("51 rows: blobs and noise", 202, [blobs(9, 4, 9), noise(15)], 4),
    data_set("51 rows: one zero vector", 203, [blobs(10, 5, 9), {"kind": "zeros", "count": 1}], 4),
    data_set("60 rows: one topic", 204, [blobs(60, 1, 9)], 2),
    data_set("200 rows: blobs of two sizes, noise", 205, [blobs(12, 10, 8), blobs(5, 8, 10), noise(40)], 4),
    data_set("200 rows: pairs wanted", 206, [blobs(10, 20, 8)], 2),
    data_set("240 rows: elongated", 207, [{"kind": "arc", "spread": 6, "count": 80}, {"kind": "arc", "spread": 6, "count": 80}, blobs(20, 4, 8)], 5),
    data_set("200 rows: elongated beyond the similarity", 213, [{"kind": "arc", "spread": 4, "count": 150}, blobs(25, 2, 4)], 5, 0.85),
    data_set("240 rows: nested", 208, [{"kind": "nested", "blobs": 4, "inner": 4, "spread": 14, "count": 15}], 5, 0.6),
    data_set("70 rows: copies among blobs", 209, [blobs(20, 3, 9), {"kind": "copies", "count": 6}, noise(4)], 5),
    data_set("1,000 rows: 40 blobs and noise", 210, [blobs(20, 40, 9), noise(200)], 5, 0.5, 96),
    data_set("2,000 rows: 100 blobs and noise", 211, [blobs(15, 100, 8), noise(500)], 5, 0.55, 128),
    data_set("2,000 rows: pairs wanted", 212, [blobs(8, 200, 8), noise(400)], 2, 0.55, 128),
]
