import type { V1PersistentVolume, V1PersistentVolumeClaim } from "@csi-sidecars/kube";
import { type Evidence, type Step, step } from "./explanation.ts";
import type { ClaimFacts } from "./facts.ts";
import { valueIn } from "./look.ts";
import { mismatches } from "./match-volume.ts";

const shown = 3;

/** A claim that no provisioner serves: which of the volumes that are there comes nearest, and what is in the way. */
export function staticVolumeStep(claim: V1PersistentVolumeClaim, facts: ClaimFacts): Step {
  const volumes = valueIn(facts.volumes);
  const remedy = "create a PersistentVolume that fits, or make the claim anew so that one fits";
  if (!volumes) return step("waiting", "no volume was found for the claim yet", [], remedy);
  const node = valueIn(facts.selectedNode?.node);
  const judged = volumes
    .filter((volume) => volume.status?.phase === "Available" || isReserved(volume, claim))
    .map((volume) => ({ volume, problems: mismatches(claim, volume, node) }))
    .sort((a, b) => a.problems.length - b.problems.length);
  const [best] = judged;
  if (!best) return step("waiting", "the cluster has no volume that is free", [], remedy);
  if (best.problems.length === 0) return step("done", `volume ${nameOf(best.volume)} fits`);
  return step(
    "waiting",
    `none of the ${judged.length} free volumes fits; nearest is ${nameOf(best.volume)}: ${best.problems.join("; ")}`,
    judged
      .slice(0, shown)
      .map(
        ({ volume, problems }): Evidence => ({ object: `PersistentVolume ${nameOf(volume)}`, field: "spec", value: problems.join("; ") }),
      ),
    remedy,
  );
}

/** A claim whose volume was named by its owner. */
export function namedVolumeStep(claim: V1PersistentVolumeClaim, { volume: look }: ClaimFacts): Step {
  const name = claim.spec?.volumeName ?? "";
  const object = `PersistentVolume ${name}`;
  if (look?.state === "missing") {
    return step(
      "waiting",
      `the claim names volume ${name}, which does not exist`,
      [{ object, field: "metadata.name", value: "not found" }],
      `create PersistentVolume ${name}, or make the claim anew without spec.volumeName`,
    );
  }
  const volume = valueIn(look);
  const problems = volume ? mismatches(claim, volume) : [];
  if (problems.length === 0) return step("done", `the claim names volume ${name}`);
  const remedy = problems.some((problem) => problem.includes("spec.claimRef.uid"))
    ? `remove spec.claimRef.uid from PersistentVolume ${name} if the claim may have its data`
    : "change the claim or the volume so that they fit";
  return step(
    "failed",
    `the claim names volume ${name}, which it cannot have: ${problems.join("; ")}`,
    [{ object, field: "spec", value: problems.join("; ") }],
    remedy,
  );
}

const nameOf = (volume: V1PersistentVolume) => volume.metadata?.name ?? "";

function isReserved({ spec }: V1PersistentVolume, { metadata }: V1PersistentVolumeClaim): boolean {
  return spec?.claimRef?.name === metadata?.name && spec?.claimRef?.namespace === metadata?.namespace;
}
