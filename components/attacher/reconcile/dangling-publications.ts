import { abandon } from "./abandoned.ts";
import type { AttacherContext } from "./attacher-context.ts";
import type { Attachment, NodeDrivers, Volume } from "./fields.ts";
import type { PublishedNodes } from "./list-volumes.ts";
import { nodeIdAnnotation } from "./names.ts";
import { driverIdOn } from "./node-id.ts";
import type { DriverFacts } from "./plan-attach.ts";
import { volumeNameOf } from "./volume-source.ts";

/** A volume that the driver lists on a node, and that no attachment claims there. */
export interface Unclaimed {
  /** Of its PersistentVolume. */
  readonly volume: string;
  readonly node: string;
  readonly nodeId: string;
}

export interface KnownObjects {
  readonly attachments: readonly Attachment[];
  readonly volumes: readonly Volume[];
  readonly nodes: readonly NodeDrivers[];
}

/**
 * What only a lost attachment can have left: volumes with the attacher's finalizer, on nodes of this cluster. Others may use the same
 * storage, and what they attach is none of our business. An attachment excuses in any state.
 */
export function findUnclaimed(published: PublishedNodes, known: KnownObjects, driver: DriverFacts): readonly Unclaimed[] {
  const nodes = new Map(known.nodes.map((node) => [driverIdOn(node, driver.name), node.metadata.name]));
  const excused = new Set(
    known.attachments.map(({ spec }) => key(spec.source.persistentVolumeName ?? spec.source.inlineVolumeSpec?.csi?.volumeHandle, spec)),
  );
  return known.volumes.flatMap(({ metadata, spec }) => {
    const { driver: of, volumeHandle = "" } = spec?.csi ?? {};
    if (of !== driver.name || !metadata.finalizers?.includes(driver.finalizer)) return [];
    return (published.get(volumeHandle) ?? []).flatMap((nodeId): Unclaimed[] => {
      const nodeName = nodes.get(nodeId);
      if (nodeName === undefined) return [];
      const isExcused = [metadata.name, volumeHandle].some((volume) => excused.has(key(volume, { nodeName })));
      return isExcused ? [] : [{ volume: metadata.name, node: nodeName, nodeId }];
    });
  });
}

/** Has it detached like the volume of an attachment that vanished. `lookAtVolume` is called when that is done. */
export function detachUnclaimed(c: AttacherContext, { volume, node, nodeId }: Unclaimed, lookAtVolume: (name: string) => void): void {
  const attachment: Attachment = {
    metadata: {
      ...{ name: unclaimedName({ volume, node }), uid: "", resourceVersion: "" },
      finalizers: [c.driver.finalizer],
      annotations: { [nodeIdAnnotation]: nodeId },
    },
    spec: { attacher: c.driver.name, nodeName: node, source: { persistentVolumeName: volume } },
  };
  if (c.memory.abandoned.has(attachment.metadata.name)) return;
  c.log.info("The driver lists a volume on a node for which there is no VolumeAttachment, it will be detached", { volume, node });
  abandon(c, attachment, () => lookAtVolume(volumeNameOf(attachment) ?? ""));
}

/** No attachment can have such a name. */
export function unclaimedName({ volume, node }: Pick<Unclaimed, "volume" | "node">): string {
  return `unclaimed/${volume}/${node}`;
}

function key(volume: string | undefined, { nodeName }: Pick<Attachment["spec"], "nodeName">): string {
  return JSON.stringify([volume, nodeName]);
}
