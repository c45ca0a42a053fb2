import { CSIDriver, type ObjectRef, Pod, VolumeAttachment } from "@csi-sidecars/kube";
import type { ClaimFacts, PodFacts } from "./facts.ts";
import { eventsAbout, type GatherContext } from "./gather.ts";
import { gatherAttachment } from "./gather-attachment.ts";
import { claimsOf, gatherClaim } from "./gather-claim.ts";
import { valueIn } from "./look.ts";

export async function gatherPod(context: GatherContext, ref: ObjectRef): Promise<PodFacts> {
  const { look, clock } = context;
  const looked = await look.get(Pod, ref);
  const pod = valueIn(looked);
  const common = { kind: "pod", ref, pod: looked, unseen: look.notes } as const;
  if (!pod) return { ...common, claims: [], attachments: [], unattached: [], events: [], now: clock.now() };
  const namespace = ref.namespace ?? "";
  const [claims, events] = await Promise.all([
    Promise.all(claimsOf(pod).map((name) => gatherClaim(context, { namespace, name }))),
    eventsAbout(look, pod.metadata?.uid, namespace),
  ]);
  const placed = pod.spec?.nodeName ? await attachmentFacts(context, claims, pod.spec.nodeName) : { attachments: [], unattached: [] };
  return { ...common, claims, events, ...placed, now: clock.now() };
}

/** The attachments of the claims' volumes to the node. Where drivers or attachments may not be read, nothing is said to be missing. */
async function attachmentFacts(
  context: GatherContext,
  claims: readonly ClaimFacts[],
  node: string,
): Promise<Pick<PodFacts, "attachments" | "unattached">> {
  const volumes = claims.flatMap(({ volume }) => valueIn(volume) ?? []);
  const all = volumes.length > 0 ? valueIn(await context.look.list(VolumeAttachment)) : [];
  if (!all) return { attachments: [], unattached: [] };
  const own = all.filter(
    ({ spec }) => spec.nodeName === node && volumes.some((it) => it.metadata?.name === spec.source.persistentVolumeName),
  );
  const without = volumes.filter((it) => !own.some(({ spec }) => spec.source.persistentVolumeName === it.metadata?.name));
  const needy = await Promise.all(
    without.map(async (it) => ((await mustBeAttached(context, it.spec?.csi?.driver)) ? [it.metadata?.name ?? ""] : [])),
  );
  const nodesOf = (volume: string) =>
    all.filter(({ spec }) => spec.source.persistentVolumeName === volume).map(({ spec }) => spec.nodeName);
  return {
    attachments: await Promise.all(own.map(({ metadata }) => gatherAttachment(context, { name: metadata?.name ?? "" }))),
    unattached: needy.flat().map((volume) => ({ volume, elsewhere: nodesOf(volume) })),
  };
}

async function mustBeAttached({ look }: GatherContext, driver: string | undefined): Promise<boolean> {
  if (driver === undefined) return false;
  const csiDriver = await look.get(CSIDriver, { name: driver });
  return csiDriver.state === "missing" || (csiDriver.state === "seen" && csiDriver.value.spec.attachRequired !== false);
}
