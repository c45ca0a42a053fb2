import { wrapError } from "@csi-sidecars/controller";
import { type DriverClient, listPages } from "@csi-sidecars/csi";

/** By volume ID, the IDs of the nodes that the driver lists the volume as published to. */
export type PublishedNodes = ReadonlyMap<string, readonly string[]>;

/**
 * Asks the driver what is published where. The time limit is that of one page, so that many volumes only take longer. A page that fails
 * fails the whole list, as half of it would make attached volumes look detached.
 */
export async function listPublished(
  csiController: Pick<DriverClient["controller"], "listVolumes">,
  options: { readonly maxEntries: number; readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<PublishedNodes> {
  const { maxEntries, timeoutMs, signal } = options;
  const published = new Map<string, readonly string[]>();
  const read = (startingToken: string) =>
    csiController.listVolumes({ maxEntries, startingToken }, { timeoutMs, signal }).catch((error: unknown) => {
      throw wrapError("failed to list volumes", error);
    });
  try {
    for await (const entries of listPages("ListVolumes", read)) {
      for (const { volume, status } of entries) if (volume && status) published.set(volume.volumeId, status.publishedNodeIds);
    }
  } catch (error) {
    throw wrapError("failed to ListVolumes", error);
  }
  return published;
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
