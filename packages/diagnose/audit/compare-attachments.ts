import { type V1VolumeAttachment, wellKnownAnnotation } from "@csi-sidecars/kube";
import type { Difference } from "./compare.ts";
import type { AuditFacts, AuditFilter } from "./facts.ts";
import { counts, lastPart } from "./filter.ts";
import { inTreeNames } from "./in-tree-names.ts";

interface Attachment {
  readonly attachment: V1VolumeAttachment;
  readonly volume: string;
  /** As the driver names the node; `undefined` where nobody says. */
  readonly nodeId: string | undefined;
}

/** Where the storage says volumes are published, against the cluster's VolumeAttachments. */
export function compareAttachments(facts: AuditFacts, filter: AuditFilter): readonly Difference[] {
  if (!facts.attachments || !facts.csiNodes) return [];
  const known = attachmentsOf(facts).filter(({ volume }) => counts(volume, filter));
  return [...unknownToCluster(facts, filter, known), ...unknownToStorage(facts, known)];
}

/**
 * An attachment excuses a publication in whatever state it is: it is made before the call and goes after it. Where nobody says how
 * the driver calls its node, it excuses all of the volume.
 */
function unknownToCluster(facts: AuditFacts, filter: AuditFilter, known: readonly Attachment[]): readonly Difference[] {
  const { before, after } = facts;
  const excused = new Set(known.map(({ volume, nodeId }) => JSON.stringify([volume, nodeId])));
  const inTree = attachedInTree(facts);
  return [...after]
    .filter(([volume]) => counts(volume, filter) && !inTree.has(lastPart(volume)) && !excused.has(JSON.stringify([volume, undefined])))
    .flatMap(([volume, nodes]) =>
      nodes
        .filter((node) => before.get(volume)?.includes(node) && !excused.has(JSON.stringify([volume, node])))
        .map((node): Difference => ({ kind: "published without VolumeAttachment", volume, node })),
    );
}

/** The volumes of attached PersistentVolumes that do not say how the driver calls them. */
function attachedInTree({ attachments = [], volumes, driver }: AuditFacts): ReadonlySet<string> {
  const attached = new Set(attachments.filter(({ spec }) => spec.attacher === driver).map(({ spec }) => spec.source.persistentVolumeName));
  return new Set(volumes.flatMap(({ metadata, spec }) => (attached.has(metadata?.name) ? inTreeNames(spec) : [])));
}

/** A volume that the storage does not have at all is reported as that alone. */
function unknownToStorage({ before, after }: AuditFacts, known: readonly Attachment[]): readonly Difference[] {
  return known.flatMap(({ attachment, volume, nodeId }): readonly Difference[] => {
    const { metadata, status, spec } = attachment;
    const settled = status?.attached && !metadata?.deletionTimestamp && nodeId !== undefined && before.has(volume) && after.has(volume);
    if (!settled || before.get(volume)?.includes(nodeId) || after.get(volume)?.includes(nodeId)) return [];
    return [
      {
        kind: "VolumeAttachment not published",
        volume,
        object: `VolumeAttachment ${metadata?.name}`,
        node: spec.nodeName,
        ...(metadata?.creationTimestamp && { since: metadata.creationTimestamp }),
      },
    ];
  });
}

function attachmentsOf({ attachments = [], volumes, csiNodes = [], driver }: AuditFacts): readonly Attachment[] {
  const handles = new Map(volumes.map(({ metadata, spec }) => [metadata?.name, spec?.csi?.volumeHandle]));
  const nodeIds = new Map(csiNodes.map(({ metadata, spec }) => [metadata?.name, spec.drivers.find(({ name }) => name === driver)?.nodeID]));
  return attachments
    .filter(({ spec }) => spec.attacher === driver)
    .flatMap((attachment) => {
      const { nodeName, source } = attachment.spec;
      const volume = source.persistentVolumeName ? handles.get(source.persistentVolumeName) : source.inlineVolumeSpec?.csi?.volumeHandle;
      const nodeId = nodeIds.get(nodeName) ?? attachment.metadata?.annotations?.[wellKnownAnnotation.nodeId];
      return volume === undefined ? [] : [{ attachment, volume, nodeId }];
    });
}
