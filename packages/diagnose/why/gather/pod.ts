import { CSIDriver, type ObjectRef, Pod, VolumeAttachment } from "@csi-sidecars/kube";
import { foundIn } from "../../access/read-cluster.ts";
import { eventsAbout } from "../events.ts";
import { gatherClaim } from "./claim.ts";
import { claimsOf } from "./claim-users.ts";
import type { GatherContext } from "./context.ts";
import type { ObservedClaim, ObservedPod } from "./observed.ts";
import { gatherAttachment } from "./volume.ts";

export async function gatherPod(context: GatherContext, ref: ObjectRef): Promise<ObservedPod> {
  const { cluster, clock, responsibleFor } = context;
  const lookup = await cluster.get(Pod, ref);
  const pod = foundIn(lookup);
  const common = { ref, pod: lookup, responsibleFor, notes: cluster.notes };
  if (!pod) return { ...common, claims: [], attachments: [], unattached: [], events: [], now: clock.now() };
  const namespace = ref.namespace ?? "";
  const [claims, events] = await Promise.all([
    Promise.all(claimsOf(pod).map((name) => gatherClaim(context, { namespace, name }))),
    eventsAbout(cluster, pod.metadata?.uid, namespace),
  ]);
  const placed = pod.spec?.nodeName ? await attachmentsTo(context, claims, pod.spec.nodeName) : { attachments: [], unattached: [] };
  return { ...common, claims, ...events, ...placed, now: clock.now() };
}

/** The attachments of the claims' volumes to the node. Where drivers or attachments may not be read, nothing is said to be missing. */
async function attachmentsTo(
  context: GatherContext,
  claims: readonly ObservedClaim[],
  node: string,
): Promise<Pick<ObservedPod, "attachments" | "unattached">> {
  const volumes = claims.flatMap(({ volume }) => foundIn(volume) ?? []);
  const all = volumes.length > 0 ? foundIn(await context.cluster.list(VolumeAttachment)) : [];
  if (!all) return { attachments: [], unattached: [] };
  const own = all.filter(
    ({ spec }) => spec.nodeName === node && volumes.some((it) => it.metadata?.name === spec.source.persistentVolumeName),
  );
  const without = volumes.filter((it) => !own.some(({ spec }) => spec.source.persistentVolumeName === it.metadata?.name));
  const toBeAttached = await Promise.all(
    without.map(async (it) => ((await mustBeAttached(context, it.spec?.csi?.driver)) ? [it.metadata?.name ?? ""] : [])),
  );
  const nodesOf = (volume: string) =>
    all.filter(({ spec }) => spec.source.persistentVolumeName === volume).map(({ spec }) => spec.nodeName);
  return {
    attachments: await Promise.all(own.map(({ metadata }) => gatherAttachment(context, { name: metadata?.name ?? "" }))),
    unattached: toBeAttached.flat().map((volume) => ({ volume, elsewhere: nodesOf(volume) })),
  };
}

async function mustBeAttached({ cluster }: GatherContext, driver: string | undefined): Promise<boolean> {
  if (driver === undefined) return false;
  const csiDriver = await cluster.get(CSIDriver, { name: driver });
  return csiDriver.state === "missing" || (csiDriver.state === "found" && csiDriver.value.spec.attachRequired !== false);
}
