import { CSIDriver, type ObjectRef, Pod, type V1PersistentVolume, VolumeAttachment } from "@csi-sidecars/kube";
import { foundIn, missing } from "../../access/read-cluster.ts";
import { eventsAbout } from "../events.ts";
import { gatherClaim } from "./claim.ts";
import { claimsOf, podsThatUse } from "./claim-users.ts";
import type { GatherContext } from "./context.ts";
import type { ObservedClaim, ObservedPod, UnattachedVolume } from "./observed.ts";
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

/** The attachments of the claims' volumes to the node. Where drivers may not be read, nothing is said to be missing. */
async function attachmentsTo(
  context: GatherContext,
  claims: readonly ObservedClaim[],
  node: string,
): Promise<Pick<ObservedPod, "attachments" | "unattached" | "unreadAttachments">> {
  const volumes = claims.flatMap((claim) => {
    const volume = foundIn(claim.volume);
    return volume ? [{ claim: claim.ref, volume, name: volume.metadata?.name ?? "" }] : [];
  });
  const listed = volumes.length > 0 ? await context.cluster.list(VolumeAttachment) : missing;
  if (listed.state === "unreadable") {
    const needed = await Promise.all(volumes.map(({ volume }) => mustBeAttached(context, volume.spec?.csi?.driver, true)));
    return { attachments: [], unattached: [], ...(needed.includes(true) && { unreadAttachments: listed.because ?? "" }) };
  }
  const all = foundIn(listed) ?? [];
  const own = all.filter(({ spec }) => spec.nodeName === node && volumes.some(({ name }) => name === spec.source.persistentVolumeName));
  const without = volumes.filter(({ name }) => !own.some(({ spec }) => spec.source.persistentVolumeName === name));
  const unattached = without.map(async ({ claim, volume, name }): Promise<readonly UnattachedVolume[]> => {
    const nodes = all.filter(({ spec }) => spec.source.persistentVolumeName === name).map(({ spec }) => spec.nodeName);
    if (!(await mustBeAttached(context, volume.spec?.csi?.driver, nodes.length > 0))) return [];
    if (nodes.length === 0 || mayBeAttachedTwice(volume)) return [{ volume: name, elsewhere: [] }];
    const users = foundIn(await podsThatUse(context, { metadata: claim }))?.filter(({ spec }) => nodes.includes(spec?.nodeName ?? ""));
    return [{ volume: name, elsewhere: nodes, ...(users && { users }) }];
  });
  return {
    attachments: await Promise.all(own.map(({ metadata }) => gatherAttachment(context, { name: metadata?.name ?? "" }))),
    unattached: (await Promise.all(unattached)).flat(),
  };
}

/** That it is attached somewhere tells it too, where the driver may not be read. */
async function mustBeAttached({ cluster }: GatherContext, driver: string | undefined, isSomewhere: boolean): Promise<boolean> {
  if (driver === undefined) return false;
  const csiDriver = await cluster.get(CSIDriver, { name: driver });
  if (csiDriver.state === "unreadable") return isSomewhere;
  return csiDriver.state === "missing" || csiDriver.value.spec.attachRequired !== false;
}

/** As the attach-detach controller sees it. */
function mayBeAttachedTwice({ spec }: V1PersistentVolume): boolean {
  const modes = spec?.accessModes ?? [];
  return modes.length === 0 || modes.includes("ReadWriteMany") || modes.includes("ReadOnlyMany");
}
