import type { PublishedNodes } from "./list-volumes.ts";

/** What an attachment says about itself, in the driver's terms. */
export interface Claimed {
  readonly name: string;
  readonly attached: boolean;
  readonly volumeId: string;
  readonly nodeId: string;
}

/** By name, what attachments said that were found to differ from the driver's list once. */
export type Suspects = ReadonlyMap<string, boolean>;

/**
 * Which attachments the driver contradicts. One difference proves nothing, as drivers may list what was true a while ago: only an
 * attachment that says the same and is contradicted twice in a row is to be worked on, and starts from new then. Volumes that the
 * driver lists and no attachment claims are `unclaimed.ts`'s.
 */
export function comparePublished(
  claims: readonly Claimed[],
  published: PublishedNodes,
  before: Suspects,
): { readonly force: readonly string[]; readonly suspects: Suspects } {
  const differing = claims.filter(({ attached, volumeId, nodeId }) => attached !== (published.get(volumeId)?.includes(nodeId) ?? false));
  const isProven = ({ name, attached }: Claimed) => before.get(name) === attached;
  return {
    force: differing.filter(isProven).map(({ name }) => name),
    suspects: new Map(differing.filter((claim) => !isProven(claim)).map(({ name, attached }) => [name, attached])),
  };
}
