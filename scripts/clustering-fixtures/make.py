"""Writes test/unit/aggregation/fixtures/clustering.json: what the field's implementations make of the data sets.

    python3 -m venv venv && venv/bin/pip install -r scripts/clustering-fixtures/requirements.txt
    venv/bin/python scripts/clustering-fixtures/make.py

Labels by set:
  average     scikit-learn, AgglomerativeClustering: cosine, average linkage, cut at 1 - similarity (below 50 rows)
  field       hdbscan, HDBSCAN: min_samples 1, Euclidean on unit vectors, epsilon 0
  epsilonMax  the same with cluster_selection_epsilon_max = sqrt(2 * (1 - similarity))
  bounded     hdbscan on distances held between a quarter of that and all of it, each connected part beside a
              mirror image of itself at exactly that distance, so that the whole part is a cluster like others
  alike       hdbscan's condensed trees of distances held below the upper bound only, densities held instead, where
              only clusters may be selected whose mean pairwise cosine reaches the similarity (selected by `select`
              below, which is checked against hdbscan without that rule)
"""

import importlib.metadata
import json
import math
import pathlib
import platform

import hdbscan
import numpy as np
from scipy.sparse.csgraph import connected_components
from sklearn.cluster import AgglomerativeClustering
from sklearn.metrics import adjusted_rand_score

from data import rows_of
from sets import SETS

TARGET = pathlib.Path(__file__).parents[2] / "test/unit/aggregation/fixtures/clustering.json"
SWITCH_ROWS = 50


def units_of(rows):
    values = np.array(rows, dtype=np.float64)
    lengths = np.linalg.norm(values, axis=1, keepdims=True)
    return np.divide(values, lengths, out=np.zeros_like(values), where=lengths > 0)


def distances_of(units):
    distances = np.sqrt(np.maximum(0, 2 - 2 * units @ units.T))
    np.fill_diagonal(distances, 0)
    return distances


def average(units, similarity, min_cluster_size):
    usable = np.flatnonzero(np.linalg.norm(units, axis=1) > 0)
    model = AgglomerativeClustering(
        n_clusters=None, metric="cosine", linkage="average", distance_threshold=1 - similarity
    )
    found = model.fit_predict(units[usable])
    labels = np.full(len(units), -1)
    labels[usable] = np.where(np.bincount(found)[found] >= min_cluster_size, found, -1)
    return labels


def field(units, min_cluster_size, epsilon_max=math.inf):
    """Zero vectors are left out as noise: at the origin they would be neighbours of every row."""
    usable = np.flatnonzero(np.linalg.norm(units, axis=1) > 0)
    labels = np.full(len(units), -1)
    labels[usable] = hdbscan.HDBSCAN(
        min_cluster_size=min_cluster_size,
        min_samples=1,
        metric="euclidean",
        algorithm="generic",
        approx_min_span_tree=False,
        cluster_selection_epsilon_max=epsilon_max,
    ).fit_predict(units[usable])
    return labels


def select(tree, count, may_be_taken):
    """Excess of mass over a condensed tree of hdbscan, the root excluded."""
    root = count
    births = {root: 0.0}
    parents = {}
    for parent, child, density, _ in tree:
        if child >= count:
            births[child] = density
            parents[child] = parent
    stability = dict.fromkeys(births, 0.0)
    members = {cluster: [] for cluster in births}
    for parent, child, density, size in tree:
        stability[parent] += (density - births[parent]) * size
        if child < count:
            members[parent].append(child)
    below = dict.fromkeys(births, 0.0)
    taken = set()
    for cluster in sorted(births, reverse=True):
        if cluster == root:
            continue
        parent = parents[cluster]
        takes = stability[cluster] >= below[cluster] and may_be_taken(members[cluster])
        if takes:
            taken.add(cluster)
        below[parent] += stability[cluster] if takes else below[cluster]
        members[parent] = members[parent] + members[cluster]
    labels = np.full(count, -1)
    for cluster in sorted(taken, reverse=True):
        labels[members[cluster]] = cluster
    return labels


def beside_mirror_image(distances, apart, min_cluster_size):
    size = len(distances)
    both = np.full((2 * size, 2 * size), apart)
    both[:size, :size] = distances
    both[size:, size:] = distances
    np.fill_diagonal(both, 0)
    model = hdbscan.HDBSCAN(min_cluster_size=min_cluster_size, min_samples=1, metric="precomputed")
    return model.fit_predict(both), model.condensed_tree_._raw_tree.copy()


def bounded(units, similarity, min_cluster_size, must_be_alike):
    longest = math.sqrt(2 * (1 - similarity))
    usable = np.flatnonzero(np.linalg.norm(units, axis=1) > 0)
    distances = distances_of(units[usable])
    _, parts = connected_components(distances <= longest, directed=False)
    labels = np.full(len(units), -1)
    for part in range(parts.max() + 1):
        inside = np.flatnonzero(parts == part)
        size = len(inside)
        if size < min_cluster_size:
            continue
        own_distances = distances[np.ix_(inside, inside)]
        found, tree = beside_mirror_image(np.clip(own_distances, longest / 4, longest), longest, min_cluster_size)
        own = units[usable[inside]]

        def is_alike(members):
            vectors = own[[member % size for member in members]]
            pairs = len(members) * (len(members) - 1)
            return (np.sum(vectors.sum(axis=0) ** 2) - len(members)) / pairs >= similarity

        assert adjusted_rand_score(found, select(tree, 2 * size, lambda _: True)) == 1
        if must_be_alike:
            _, tree = beside_mirror_image(np.minimum(own_distances, longest), longest, min_cluster_size)
            tree["lambda_val"] = np.minimum(tree["lambda_val"], 4 / longest)
            found = select(tree, 2 * size, is_alike)
        first = found[:size]
        labels[usable[inside]] = np.where(first < 0, -1, first + labels.max() + 1)
    return labels


def runs_of(labels):
    """Labels by first appearance, as `label*count` for each run; noise is -1."""
    names = {-1: -1}
    runs = []
    for label in labels.tolist():
        name = names.setdefault(label, len(names) - 1)
        if runs and runs[-1][0] == name:
            runs[-1][1] += 1
        else:
            runs.append([name, 1])
    return " ".join(f"{name}*{count}" for name, count in runs)


def labels_of(data_set):
    units = units_of(rows_of(data_set))
    similarity, smallest = data_set["similarity"], data_set["minClusterSize"]
    if len(units) < SWITCH_ROWS:
        return {"average": average(units, similarity, smallest)}
    return {
        "field": field(units, smallest),
        "epsilonMax": field(units, smallest, math.sqrt(2 * (1 - similarity))),
        "bounded": bounded(units, similarity, smallest, False),
        "alike": bounded(units, similarity, smallest, True),
    }


def main():
    sets = []
    for data_set in SETS:
        labels = labels_of(data_set)
        counts = {name: f"{len(set(values.tolist()) - {-1})}/{(values < 0).sum()}" for name, values in labels.items()}
        print(data_set["name"], "clusters/noise", counts)
        sets.append({**data_set, "labels": {name: runs_of(values) for name, values in labels.items()}})
    versions = {name: importlib.metadata.version(name) for name in ("hdbscan", "numpy", "scikit-learn", "scipy")}
    fixtures = {
        "madeBy": "scripts/clustering-fixtures/make.py",
        "versions": {"python": platform.python_version(), **versions},
        "sets": sets,
    }
    TARGET.write_text(json.dumps(fixtures, indent=2) + "\n")


main()
