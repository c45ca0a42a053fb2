import type { ListVolumesResponse_Entry, PageReader } from "@csi-sidecars/csi";

/** By volume ID, the IDs of the nodes that the driver lists the volume as published to. */
export type PublishedNodes = ReadonlyMap<string, readonly string[]>;

/** Reads from a list of the driver's volumes what is published where. Half a list must not be used: attached volumes would look detached. */
export class PublishedList implements PageReader {
  readonly #nodes = new Map<string, readonly string[]>();

  get nodes(): PublishedNodes {
    return this.#nodes;
  }

  addPage(entries: readonly ListVolumesResponse_Entry[]): void {
    for (const { volume, status } of entries) if (volume && status) this.#nodes.set(volume.volumeId, status.publishedNodeIds);
  }
}

/** What an attachment says, in the driver's terms. */
export interface ReportedAttachment {
  readonly name: string;
  readonly attached: boolean;
  readonly volumeId: string;
  readonly nodeId: string;
}

/** By name, what attachments said whose first mismatch with the driver's list this is. */
export type UnconfirmedMismatches = ReadonlyMap<string, boolean>;

/**
 * Which attachments the driver's list contradicts. Drivers may list what was true a while ago, so one mismatch proves nothing: it is
 * confirmed by a second one in a row of an attachment that still says the same. A confirmed one needs two again. Volumes that the
 * driver lists without any attachment are found in `dangling-publications.ts`.
 */
export function compareWithPublished(
  attachments: readonly ReportedAttachment[],
  published: PublishedNodes,
  before: UnconfirmedMismatches,
): { readonly confirmed: readonly string[]; readonly unconfirmed: UnconfirmedMismatches } {
  const mismatches = attachments.filter(
    ({ attached, volumeId, nodeId }) => attached !== (published.get(volumeId)?.includes(nodeId) ?? false),
  );
  const isConfirmed = ({ name, attached }: ReportedAttachment) => before.get(name) === attached;
  return {
    confirmed: mismatches.filter(isConfirmed).map(({ name }) => name),
    unconfirmed: new Map(mismatches.filter((each) => !isConfirmed(each)).map(({ name, attached }) => [name, attached])),
  };
}
