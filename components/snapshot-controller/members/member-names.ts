import { createHash } from "node:crypto";

/** The names of a group's member: always the same for a group and a volume, so that none is ever created twice. */
export interface MemberNames {
  readonly snapshot: string;
  readonly content: string;
}

/** The name of the content that belongs to a member. */
export function memberContentName(snapshot: string): string {
  return snapshot.replace(/^snapshot-/, "snapcontent-");
}

export function memberNames(groupUid: string, volumeHandle: string): MemberNames {
  const hash = createHash("sha256").update(groupUid).update(volumeHandle).digest("hex");
  return { snapshot: `snapshot-${hash}`, content: `snapcontent-${hash}` };
}
