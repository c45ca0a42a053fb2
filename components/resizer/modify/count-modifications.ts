import { claimKey } from "../claim-key.ts";
import { isOwnVolume } from "../claim-volume.ts";
import type { Claim } from "../fields.ts";
import type { ResizerContext } from "../resizer-context.ts";
import type { ModifyContext } from "./modify-context.ts";
import type { ModifyState } from "./modify-state.ts";

const byStatus = "modification";

/** Counts the driver's claims by the status of their modification. The index is over those that have one: it stays small. */
export function countModifications({ caches, volumes, driver }: ResizerContext, state: ModifyState): ModifyContext["counts"] {
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
