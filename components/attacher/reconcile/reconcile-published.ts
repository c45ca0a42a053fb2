import type { Result } from "@csi-sidecars/base";
import { repairHandle } from "@csi-sidecars/translation";
import { type AttacherContext, worldOf } from "./attacher-context.ts";
import { type Claimed, comparePublished, type Suspects } from "./compare-published.ts";
import type { Attachment, NodeDrivers, Volume } from "./fields.ts";
import { listPublished, type PublishedNodes } from "./list-volumes.ts";
import { knownNodeId } from "./node-id.ts";
import type { AttachmentWorld } from "./plan-attach.ts";
import { detachUnclaimed, findUnclaimed, unclaimedName } from "./unclaimed.ts";
import { volumeSourceOf } from "./volume-source.ts";

export interface ComparisonOptions {
  /** `--reconcile-sync`: the pause between two comparisons. */
  readonly periodMs: number;
  /** `--max-entries`: the size of a page. */
  readonly maxEntries: number;
  /** `--detach-unclaimed`: what is done about volumes that no attachment claims; nothing unless given. */
  readonly unclaimed?: {
    volumes(): readonly Volume[];
    nodes(): readonly NodeDrivers[];
    lookAtVolume(name: string): void;
  };
  attachments(): readonly Attachment[];
}

/** What was found once. */
interface Findings {
  readonly suspects: Suspects;
  readonly unclaimed: ReadonlySet<string>;
}

/** Compares the attachments with what the driver lists, forever, and has those worked on that the driver contradicts. */
export async function comparePeriodically(c: AttacherContext, options: ComparisonOptions, signal: AbortSignal): Promise<void> {
  let findings: Findings = { suspects: new Map(), unclaimed: new Set() };
  while (!signal.aborted) {
    try {
      findings = await compareOnce(c, options, findings, signal);
    } catch (error) {
      if (signal.aborted) return;
      c.log.error(error, "Could not compare the VolumeAttachments with the volumes of the driver");
    }
    await c.clock.sleep(options.periodMs, signal).catch(() => undefined);
  }
}

/** The attachments are looked at after the list: what changed since the list began is left for the next time. */
async function compareOnce(c: AttacherContext, options: ComparisonOptions, before: Findings, signal: AbortSignal): Promise<Findings> {
  const activity = c.activity.record();
  try {
    const published = await listPublished(c.controller, { maxEntries: options.maxEntries, timeoutMs: c.timeoutMs, signal });
    const claims = options.attachments().flatMap(({ metadata: { name }, spec }) => {
      if (spec.attacher !== c.driver.name || activity.touched.has(name)) return [];
      const world = worldOf(c, name);
      const claim = world && claimOf(world, c.driver.name);
      if (claim?.error !== undefined)
        c.log.v(4).info("A VolumeAttachment cannot be compared with the driver's volumes", { name, err: claim.error });
      return claim?.value ? [claim.value] : [];
    });
    const { force, suspects } = comparePublished(claims, published, before.suspects);
    for (const name of force) workOn(c, name);
    return { suspects, unclaimed: detachProven(c, options, published, before.unclaimed) };
  } finally {
    activity.stop();
  }
}

/** One look proves nothing here either. Answers what was seen. */
function detachProven(
  c: AttacherContext,
  { unclaimed, attachments }: ComparisonOptions,
  published: PublishedNodes,
  before: ReadonlySet<string>,
): ReadonlySet<string> {
  if (!unclaimed) return before;
  const known = { attachments: attachments(), volumes: unclaimed.volumes(), nodes: unclaimed.nodes() };
  const found = findUnclaimed(published, known, c.driver);
  for (const each of found) if (before.has(unclaimedName(each))) detachUnclaimed(c, each, unclaimed.lookAtVolume);
  return new Set(found.map(unclaimedName));
}

/** One that was found before and failed since keeps its backoff. */
function workOn(c: AttacherContext, name: string): void {
  const attachment = c.attachments.get(name);
  if (!attachment || c.memory.forced.has(name)) return;
  c.log.info("The driver contradicts the VolumeAttachment", { name, attached: attachment.status?.attached ?? false });
  c.memory.forced.add(name);
  c.lanes.add(attachment);
}

function claimOf(world: AttachmentWorld, driver: string): Result<Claimed> {
  const { attachment, volume, node } = world;
  const nodeId = knownNodeId(attachment, node, driver);
  if (nodeId.error !== undefined) return nodeId;
  const source = volumeSourceOf(attachment, volume);
  if (source.error !== undefined) return source;
  const { csi, translated } = source.value;
  const handle = translated ? repairHandle(csi.driver, csi.volumeHandle, nodeId.value) : { value: csi.volumeHandle };
  if (handle.error !== undefined) return handle;
  const attached = attachment.status?.attached ?? false;
  return { value: { name: attachment.metadata.name, attached, volumeId: handle.value, nodeId: nodeId.value } };
}
