import { claimKey } from "../claim-key.ts";
import { isOwnVolume } from "../claim-volume.ts";
import type { Claim } from "../fields.ts";
import type { ResizerContext } from "../resizer-context.ts";
import type { ModifyState } from "./modify-state.ts";

/** How many claims wait for their class, for the period of a refused one, and for a driver that may be working on it. */
export type ModificationCounts = Readonly<Record<"pending" | "infeasible" | "uncertain", number>>;

const byStatus = "modification";

/** Counts the driver's claims by the status of their modification. The index is over those that have one: it stays small. */
export function countModifications({ caches, volumes, driver }: ResizerContext, state: ModifyState): () => ModificationCounts {
  caches.claims.addIndex(byStatus, ({ status }) => (status?.modifyVolumeStatus ? [status.modifyVolumeStatus.status] : []));
  const isOwn = ({ spec }: Claim) => {
    const volume = volumes.get(spec?.volumeName ?? "");
    return volume !== undefined && isOwnVolume(driver, volume);
  };
  const claimsThatAre = (status: string) => caches.claims.byIndex(byStatus, status).filter(isOwn);
  return () => ({
    pending: claimsThatAre("Pending").length,
    infeasible: claimsThatAre("Infeasible").length,
    uncertain: claimsThatAre("InProgress").filter((claim) => state.lastCall(claimKey(claim)) === "uncertain").length,
  });
}
