/** What clustering works with in the deployed Worker. Import it in shells only: plain Node cannot load it. */
import type { ClusteringHost } from "./density";
import { spanningTreeKernel } from "./spanning-tree/bound";

/** Lets timers and calls have their turn: a beat that renews a lease, a request to the same object. */
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

export const clusteringHost: ClusteringHost = { kernel: spanningTreeKernel, pause };
