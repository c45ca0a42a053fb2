import { type Clock, systemClock } from "@csi-sidecars/base";
import { type ElectionTiming, LeaderElector } from "@csi-sidecars/kube";
import type { Cluster } from "@csi-sidecars/testcluster";
import { clientOver } from "../../integration/testing/client-of.ts";

export interface CandidateOptions {
  readonly lease: { readonly namespace: string; readonly name: string };
  readonly timing: ElectionTiming;
  readonly clock?: Clock;
  readonly mayRelease?: () => boolean;
}

/** A candidate for a lease in the process of the test, with connections of its own. */
export function startCandidate(cluster: Cluster, identity: string, options: CandidateOptions) {
  const transport = cluster.transport(cluster.adminToken);
  const elector = new LeaderElector({ clock: systemClock, ...options, client: clientOver(transport, identity), identity });
  const stop = new AbortController();
  const ended = elector.run(stop.signal);
  return {
    elector,
    /** As if its machine had lost the network. */
    isolate: () => transport.close(),
    async stop() {
      stop.abort();
      await ended;
    },
  };
}
