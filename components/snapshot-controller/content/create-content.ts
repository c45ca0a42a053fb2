import { apiCallOptions } from "@csi-sidecars/controller";
import { type V1VolumeSnapshotContent, VolumeSnapshotContent } from "@csi-sidecars/kube";
import type { SnapshotControllerContext } from "../controller-context.ts";
import { createOrRead } from "../create-or-read.ts";
import type { Content } from "../fields.ts";

type CreateContext = Pick<SnapshotControllerContext, "kube" | "contents">;

/**
 * Creates a content, or finds the one that has its name: an earlier attempt whose answer was lost. Whether that one is bound to the snapshot is
 * for the caller to check.
 */
export function createContent(c: CreateContext, content: V1VolumeSnapshotContent, signal: AbortSignal): Promise<Content> {
  const name = content.metadata?.name ?? "";
  return c.contents.create(name, () => createOrRead(c.kube, VolumeSnapshotContent, content, apiCallOptions(signal)));
}
