import type { Result } from "@csi-sidecars/base";
import { wrapError } from "@csi-sidecars/controller";
import { repairHandle } from "@csi-sidecars/translation";
import type { AttacherContext } from "../attacher-context.ts";
import type { AttacherComponentContext } from "../flags.ts";
import { nodeIdForDetach, type ResolvedAttachment, resolveAttachment } from "../resolved-attachment.ts";
import { findVolumeSource } from "../volume-source.ts";
import { danglingKey, detachDangling, findDangling } from "./dangling-publications.ts";
import {
  compareWithPublished,
  PublishedList,
  type PublishedNodes,
  type ReportedAttachment,
  type UnconfirmedMismatches,
} from "./published-volumes.ts";

type Flags = Pick<AttacherComponentContext["flags"], "reconcileSync" | "maxEntries" | "detachDanglingVolumes">;

/** What one comparison found and the next may confirm. */
interface Findings {
  readonly mismatches: UnconfirmedMismatches;
  readonly dangling: ReadonlySet<string>;
}

/** Compares the attachments with the volumes that the driver lists, every `--reconcile-sync`, and reconciles those that it contradicts. */
export async function reconcilePublishedVolumes(c: AttacherContext, flags: Flags, signal: AbortSignal): Promise<void> {
  let findings: Findings = { mismatches: new Map(), dangling: new Set() };
  for (let inMs = 0; !signal.aborted; inMs = flags.reconcileSync) {
    try {
      findings = await compareOnce(c, flags, findings, { inMs, signal });
    } catch (error) {
      if (signal.aborted) return;
      c.log.error(error, "Could not compare the VolumeAttachments with the volumes of the driver");
    }
  }
}

/** The attachments are read after the list. Those that were reconciled since the list began are left for the next time. */
async function compareOnce(
  c: AttacherContext,
  flags: Flags,
  before: Findings,
  { inMs, signal }: { readonly inMs: number; readonly signal: AbortSignal },
): Promise<Findings> {
  const { csiController: controller, timeoutMs, clock } = c;
  let reconciled: ReturnType<AttacherContext["state"]["recordReconciled"]> | undefined;
  const begin = () => {
    reconciled?.stop();
    reconciled = c.state.recordReconciled();
    return new PublishedList();
  };
  try {
    const request = { inMs, clock, controller, maxEntries: flags.maxEntries, timeoutMs, signal, begin };
    const { nodes: published } = await c.volumeLists.next(request).catch((error: unknown) => {
      throw wrapError("failed to ListVolumes: failed to list volumes", error);
    });
    const attachments = reportedAttachments(c, reconciled?.names ?? new Set());
    const { confirmed, unconfirmed } = compareWithPublished(attachments, published, before.mismatches);
    for (const name of confirmed) forceSync(c, name);
    return {
      mismatches: unconfirmed,
      dangling: flags.detachDanglingVolumes ? detachConfirmed(c, published, before.dangling) : before.dangling,
    };
  } finally {
    reconciled?.stop();
  }
}

function reportedAttachments(c: AttacherContext, except: ReadonlySet<string>): readonly ReportedAttachment[] {
  return c.caches.attachments.list().flatMap(({ metadata: { name }, spec }) => {
    const attachment = spec.attacher === c.driver.name && !except.has(name) ? c.attachments.get(name) : undefined;
    if (!attachment) return [];
    const reported = reportedAttachment(resolveAttachment(c, attachment), c.driver.name);
    if (reported.error === undefined) return [reported.value];
    c.log.v(4).info("VolumeAttachment cannot be compared with the driver's volumes", { name, err: reported.error });
    return [];
  });
}

function reportedAttachment(resolved: ResolvedAttachment, driver: string): Result<ReportedAttachment> {
  const nodeId = nodeIdForDetach(resolved, driver);
  if (nodeId.error !== undefined) return nodeId;
  const source = findVolumeSource(resolved);
  if (source.error !== undefined) return source;
  const { csi, translated } = source.value;
  const handle = translated ? repairHandle(csi.driver, csi.volumeHandle, nodeId.value) : { value: csi.volumeHandle };
  if (handle.error !== undefined) return handle;
  const { metadata, status } = resolved.attachment;
  return { value: { name: metadata.name, attached: status?.attached ?? false, volumeId: handle.value, nodeId: nodeId.value } };
}

/** One that is forced already and failed since keeps its backoff. */
function forceSync(c: AttacherContext, name: string): void {
  const attachment = c.attachments.get(name);
  if (!attachment || c.state.isForced(name)) return;
  c.log.info("ListVolumes disagrees with the VolumeAttachment, reconciling it", { name, attached: attachment.status?.attached ?? false });
  c.state.forceSync(name);
  c.queues.enqueue(attachment);
}

/** Detaches the dangling volumes that were found before. Returns what is found now. */
function detachConfirmed(c: AttacherContext, published: PublishedNodes, before: ReadonlySet<string>): ReadonlySet<string> {
  const { attachments, volumes, nodes } = c.caches;
  const found = findDangling(published, { attachments: attachments.list(), volumes: volumes.list(), nodes: nodes.list() }, c.driver);
  for (const each of found) if (before.has(danglingKey(each))) detachDangling(c, each);
  return new Set(found.map(danglingKey));
}
