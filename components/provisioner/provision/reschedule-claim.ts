import { readAndUpdate } from "@csi-sidecars/controller";
import { type CallOptions, type Client, PersistentVolumeClaim } from "@csi-sidecars/kube";
import type { Claim } from "../fields.ts";
import { selectedNodeAnnotation, withSelectedNode } from "../topology/selected-node.ts";

/** Whether the scheduler can be asked for another node: only what it wrote is taken away. */
export function canReschedule({ metadata }: Claim): boolean {
  return metadata.annotations?.[selectedNodeAnnotation] !== undefined;
}

/** Gives the claim back to the scheduler. A claim that was replaced, or has another node by now, stays as it is. */
export async function rescheduleClaim(client: Client, { metadata }: Claim, options: CallOptions): Promise<void> {
  const { name, namespace, uid, annotations } = metadata;
  const refused = annotations?.[selectedNodeAnnotation];
  await readAndUpdate(
    client,
    PersistentVolumeClaim,
    { name, namespace },
    (fresh) => {
      if (fresh.metadata?.uid !== uid || fresh.metadata.annotations?.[selectedNodeAnnotation] !== refused) return undefined;
      const rest = withSelectedNode(fresh.metadata.annotations, undefined);
      return rest && { ...fresh, metadata: { ...fresh.metadata, annotations: rest } };
    },
    options,
  );
}
