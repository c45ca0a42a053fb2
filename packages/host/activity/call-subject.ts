import type { Invocation } from "@csi-sidecars/csi";

/** What a call to the driver is about. */
export interface CallSubject {
  /** `CreateVolume` */
  readonly method: string;
  /** The volume's id at the driver. */
  readonly id?: string;
  /** The name that is given to a new volume, which has no id yet. */
  readonly name?: string;
  /** The claim that a new volume is for. */
  readonly claim?: string;
  /** The node or snapshot beside it. */
  readonly on?: string;
}

/** The calls that change a volume or take a snapshot of it: what its life consists of. */
const lifeMethods: ReadonlySet<string> = new Set([
  "CreateVolume",
  "DeleteVolume",
  "ControllerPublishVolume",
  "ControllerUnpublishVolume",
  "ControllerExpandVolume",
  "ControllerModifyVolume",
  "CreateSnapshot",
]);

/** Reads names and ids only, which are no secrets. */
export function subjectOf({ path, request }: Pick<Invocation, "path" | "request">): CallSubject {
  const method = path.slice(path.lastIndexOf("/") + 1);
  const { name, volumeId, sourceVolumeId, nodeId, snapshotId } = request as Readonly<Record<string, unknown>>;
  if (method === "CreateSnapshot") return { method, ...text("id", sourceVolumeId), ...text("on", name) };
  return { method, ...text("id", volumeId), ...text("name", name), ...text("on", nodeId), ...text("on", snapshotId) };
}

/** Whether the call is one of those that a volume's timeline shows. */
export function isPartOfLife({ method, id, name }: CallSubject): boolean {
  return lifeMethods.has(method) && (id ?? name) !== undefined;
}

function text<K extends string>(key: K, value: unknown): { readonly [k in K]?: string } {
  return typeof value === "string" && value !== "" ? ({ [key]: value } as { readonly [k in K]?: string }) : {};
}
