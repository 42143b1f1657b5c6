/** Anonymous labels for rules that rest on the same turns: connected components of shared interactions. Pure. */

/** @returns one label per list, in order; `G1`, `G2`, … by first appearance */
export function evidenceGroups(lists: readonly (readonly number[])[]): string[] {
  const parent = lists.map((_, index) => index);
  const rootOf = (index: number): number => {
    let root = index;
    while (parent[root] !== undefined && parent[root] !== root) root = parent[root] ?? root;
    return root;
  };
  const firstWith = new Map<number, number>();
  lists.forEach((ids, index) => {
    for (const id of ids) {
      const other = firstWith.get(id);
      if (other === undefined) firstWith.set(id, index);
      else parent[rootOf(index)] = rootOf(other);
    }
  });
  const labels = new Map<number, string>();
  return lists.map((_, index) => {
    const root = rootOf(index);
    const label = labels.get(root) ?? `G${labels.size + 1}`;
    labels.set(root, label);
    return label;
  });
}
