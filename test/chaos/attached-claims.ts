import { systemClock } from "@csi-sidecars/base";
import { Event, ignoreNotFound, isAlreadyExists, PersistentVolume, PersistentVolumeClaim, VolumeAttachment } from "@csi-sidecars/kube";
import { until } from "../e2e/testing/until.ts";
import type { World } from "../e2e/testing/world.ts";
import { BoundClaims } from "./bound-claims.ts";
import { createClaim, deleteClaim, inDefault, nodeNames, requestTimeout } from "./claims.ts";

/** The claims of a run, and those of them that stay. */
export interface AttachedClaims {
  readonly kept: ReadonlySet<string>;
}

/** How long the last claims may take to be bound. */
const settleMs = 90_000;

/**
 * Creates claims, one after the other for the given time, and attaches the volume of each to a node. Half of them stay; of the others the
 * attachment and the claim are deleted at any time. Resolves when all of that is asked for, whether or not it is done; claims that are
 * not bound at the end are left as they are.
 */
export async function useClaims(world: World, random: () => number, spanMs: number, pauseMs = 400): Promise<AttachedClaims> {
  await using bound = new BoundClaims(world.cluster);
  const begun = performance.now();
  const kept = new Set<string>();
  const running: Promise<void>[] = [];
  for (let i = 0; performance.now() < begun + spanMs; i++) {
    const name = `data-${i}`;
    const node = nodeNames[i % nodeNames.length] ?? "";
    if (i % 2 === 0) kept.add(name);
    // While replicas are disturbed a claim may have to wait for long.
    const isBound = () => bound.isBound(name, begun + spanMs + settleMs - performance.now());
    running.push(useClaim(world, name, node, kept.has(name), { isBound, attachedMs: random() * 3_000, boundMs: random() * 1_000 }));
    await systemClock.sleep(random() * 2 * pauseMs);
  }
  await Promise.all(running);
  return { kept };
}

async function useClaim(
  world: World,
  name: string,
  node: string,
  stays: boolean,
  { isBound, attachedMs, boundMs }: { isBound(): Promise<boolean>; readonly attachedMs: number; readonly boundMs: number },
): Promise<void> {
  const { cluster, driver } = world;
  const { admin } = cluster;
  const uid = await createClaim(cluster, name);
  if (!(await isBound())) return;
  const spec = { attacher: driver.settings.name, nodeName: node, source: { persistentVolumeName: `pvc-${uid}` } };
  await admin.create(VolumeAttachment, { metadata: { name }, spec }, requestTimeout).catch((error) => {
    if (!isAlreadyExists(error)) throw error;
  });
  if (stays) return;
  await systemClock.sleep(attachedMs);
  await ignoreNotFound(admin.delete(VolumeAttachment, { name }, requestTimeout));
  await systemClock.sleep(boundMs);
  await deleteClaim(cluster, name);
}

/** Waits until the kept claims are bound and attached, and nothing is left of the others. Returns what differs after the limit. */
export async function unsettled(world: World, { kept }: AttachedClaims, limitMs: number): Promise<readonly string[]> {
  await until("everything settled", async () => (await unsettledNow(world, kept)).length === 0, limitMs).catch(() => {});
  return unsettledNow(world, kept);
}

async function unsettledNow(world: World, kept: ReadonlySet<string>): Promise<readonly string[]> {
  const { cluster, driver } = world;
  const { admin } = cluster;
  const found: string[] = [];
  const claims = (await admin.list(PersistentVolumeClaim, requestTimeout)).items;
  const volumes = (await admin.list(PersistentVolume, requestTimeout)).items;
  const attachments = new Map((await admin.list(VolumeAttachment, requestTimeout)).items.map((each) => [each.metadata?.name, each]));
  const handles = new Map(volumes.map(({ metadata, spec }) => [metadata?.name, spec?.csi?.volumeHandle ?? ""]));
  const names = new Set(claims.map(({ metadata }) => metadata?.name ?? ""));
  for (const name of kept) if (!names.has(name)) found.push(`claim ${name}: lost`);
  for (const { metadata, spec, status } of claims) {
    const { name = "" } = metadata ?? {};
    const attachment = attachments.get(name);
    const node = attachment?.spec.nodeName ?? "";
    const published = driver.publishedTo(handles.get(spec?.volumeName ?? "") ?? "");
    if (!kept.has(name)) found.push(`claim ${name}: not deleted`);
    else if (status?.phase !== "Bound") found.push(`claim ${name}: ${status?.phase}, ${await eventsOf(world, name)}`);
    else if (!attachment?.status?.attached) found.push(`claim ${name}: not attached, ${JSON.stringify(attachment?.status)}`);
    else if (published.join() !== node) found.push(`claim ${name}: published to ${published.join()}, not to ${node}`);
  }
  for (const name of attachments.keys()) if (!kept.has(name ?? "")) found.push(`attachment ${name}: not deleted`);
  for (const { metadata, spec } of volumes)
    if (!kept.has(spec?.claimRef?.name ?? "")) found.push(`volume ${metadata?.name} of ${spec?.claimRef?.name}: not deleted`);
  for (const name of await leakedVolumes(world)) found.push(`volume ${name} of the driver: leaked`);
  return found;
}

/** What was said about a claim that waits. */
async function eventsOf({ cluster: { admin } }: World, claim: string): Promise<string> {
  const { namespace } = inDefault(claim);
  const { items } = await admin.list(Event, { ...requestTimeout, namespace, fieldSelector: `involvedObject.name=${claim}` });
  return items.map(({ lastTimestamp, reason, message }) => `${lastTimestamp} ${reason}: ${message}`).join("; ") || "no events";
}

/** The names of the driver's volumes that no PersistentVolume has. */
export async function leakedVolumes({ cluster: { admin }, driver }: World): Promise<readonly string[]> {
  const volumes = (await admin.list(PersistentVolume, requestTimeout)).items;
  const known = new Set(volumes.map(({ spec }) => spec?.csi?.volumeHandle));
  return [...driver.volumes.values()].filter(({ id }) => !known.has(id)).map(({ name }) => name);
}
