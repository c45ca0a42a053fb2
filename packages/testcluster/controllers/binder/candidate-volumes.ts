import { refKey, type View } from "@csi-sidecars/kube";
import type { Claim, Volume } from "../fields.ts";
import { storageClassOf } from "../storage-class-of.ts";
import { claimKeyOf } from "./claim-key.ts";

/** Volumes by who may have them: binder and scheduler look for a match without walking through all there are. */
export interface CandidateVolumes {
  /** Volumes that name a claim of this name. */
  ofClaim(key: string): readonly Volume[];
  candidates(claim: Claim): readonly Volume[];
}

export function candidateVolumes(volumes: View<Volume>): CandidateVolumes {
  volumes.addIndex("claim", (volume) => [claimKeyOf(volume) ?? ""]);
  volumes.addIndex("free", (volume) => (volume.spec?.claimRef ? [] : [storageClassOf(volume)]));
  const ofClaim = (key: string) => volumes.byIndex("claim", key);
  return {
    ofClaim,
    candidates: (claim) => [...ofClaim(refKey(claim.metadata)), ...volumes.byIndex("free", storageClassOf(claim))],
  };
}
