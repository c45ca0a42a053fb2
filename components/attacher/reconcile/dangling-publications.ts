import { hasFinalizer } from "@csi-sidecars/controller";
import { wellKnownAnnotation as annotation } from "@csi-sidecars/kube";
import type { AttacherContext } from "../attacher-context.ts";
import { enqueueOrphan } from "../detach/orphaned-attachments.ts";
import type { DriverInfo } from "../driver-capabilities.ts";
import type { Attachment, CsiNode, Volume } from "../fields.ts";
import { registeredNodeId } from "../resolved-attachment.ts";
import type { PublishedNodes } from "./published-volumes.ts";

/** A volume that the driver lists as published to a node for which it has no VolumeAttachment. */
export interface DanglingPublication {
  /** The name of its PersistentVolume. */
  readonly volume: string;
  readonly node: string;
  readonly nodeId: string;
}

export interface KnownObjects {
  readonly attachments: readonly Attachment[];
  readonly volumes: readonly Volume[];
  readonly nodes: readonly CsiNode[];
}

/**
 * Only a lost attachment can have left them: volumes with the attacher's finalizer, on nodes of this cluster. Other clusters may use
 * the same storage, and what they attach is theirs. An attachment in any state makes a publication legitimate.
 */
export function findDangling(published: PublishedNodes, known: KnownObjects, driver: DriverInfo): readonly DanglingPublication[] {
  const nodes = new Map(known.nodes.map((node) => [registeredNodeId(node, driver.name), node.metadata.name]));
  const attached = new Set(
    known.attachments.map(({ spec: { source, nodeName } }) =>
      publicationKey(source.persistentVolumeName ?? source.inlineVolumeSpec?.csi?.volumeHandle, nodeName),
    ),
  );
  return known.volumes.flatMap((volume) => {
    const { name } = volume.metadata;
    const { csi } = volume.spec ?? {};
    if (csi?.driver !== driver.name || !hasFinalizer(volume, driver.finalizer)) return [];
    return (published.get(csi.volumeHandle) ?? []).flatMap((nodeId): DanglingPublication[] => {
      const node = nodes.get(nodeId);
      if (node === undefined) return [];
      const isAttached = [name, csi.volumeHandle].some((each) => attached.has(publicationKey(each, node)));
      return isAttached ? [] : [{ volume: name, node, nodeId }];
    });
  });
}

/** Detaches it as the volume of an orphaned attachment. */
export function detachDangling(c: AttacherContext, dangling: DanglingPublication): void {
  const { volume, node, nodeId } = dangling;
  const name = danglingKey(dangling);
  if (c.state.orphan(name)) return;
  c.log.info("The driver lists a volume on a node for which there is no VolumeAttachment, it will be detached", { volume, node });
  const metadata = { name, uid: "", resourceVersion: "", finalizers: [c.driver.finalizer], annotations: { [annotation.nodeId]: nodeId } };
  enqueueOrphan(c, { metadata, spec: { attacher: c.driver.name, nodeName: node, source: { persistentVolumeName: volume } } });
}

/** Its key in the queue, in place of the name of an attachment, none of which contains a slash. */
export function danglingKey({ volume, node }: Pick<DanglingPublication, "volume" | "node">): string {
  return `dangling/${volume}/${node}`;
}

function publicationKey(volume: string | undefined, node: string): string {
  return JSON.stringify([volume, node]);
}
