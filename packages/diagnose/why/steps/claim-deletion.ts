import {
  keyOf,
  protectionFinalizer,
  provisionerFinalizer,
  refKey,
  snapshotFinalizer,
  type V1PersistentVolumeClaim,
} from "@csi-sidecars/kube";
import { foundIn } from "../../access/read-cluster.ts";
import { listed } from "../../text.ts";
import { type Evidence, type Step, step } from "../explanation.ts";
import type { ObservedClaim } from "../gather/observed.ts";
import { dataLossWarning } from "../words/keep-data.ts";

/** What keeps a claim that is being deleted. What it says to do ends with the claim: then it also says how to keep its data. */
export function deletionStep(claim: V1PersistentVolumeClaim, observed: ObservedClaim): Step {
  const kept = keptStep(claim, observed);
  const warning = claim.status?.phase === "Bound" ? dataLossWarning(foundIn(observed.volume)) : undefined;
  if (warning === undefined) return kept;
  return { ...kept, remedy: kept.remedy === undefined ? warning : `${kept.remedy}; ${warning}` };
}

function keptStep(claim: V1PersistentVolumeClaim, observed: ObservedClaim): Step {
  const object = `PersistentVolumeClaim ${refKey(observed.ref)}`;
  const { finalizers = [], deletionTimestamp = "" } = claim.metadata ?? {};
  const evidence: Evidence[] = [{ object, field: "metadata.finalizers", value: finalizers.join(", ") || "none", since: deletionTimestamp }];
  const deleted = "the claim is being deleted";
  const pods = foundIn(observed.pods);
  // What else keeps it says more than a finalizer that goes by itself.
  const isUnused = pods?.length === 0 && finalizers.length > 1;
  if (finalizers.includes(protectionFinalizer.claim) && !isUnused) {
    if (!pods) return step("waiting", `${deleted}, and is kept as long as pods use it`, evidence, "delete the pods that use the claim");
    if (pods.length === 0) {
      return step(
        "waiting",
        `${deleted}; no pod uses it any more`,
        evidence,
        "it should be gone in seconds; if not, check that kube-controller-manager runs",
      );
    }
    const names = pods.map((pod) => `${keyOf(pod)}${pod.spec?.nodeName ? ` (on ${pod.spec.nodeName})` : ""}`);
    return step(
      "waiting",
      `${deleted}, and is kept because ${pods.length === 1 ? "a pod uses" : `${pods.length} pods use`} it: ${listed(names)}`,
      [
        ...evidence,
        ...pods.slice(0, 3).map((pod): Evidence => ({ object: `Pod ${keyOf(pod)}`, field: "spec.volumes", value: observed.ref.name })),
      ],
      "delete these pods and the controllers that recreate them; the claim is removed with the last pod",
    );
  }
  if (finalizers.includes(provisionerFinalizer.cloneSource)) {
    const clones = foundIn(observed.clones) ?? [];
    const which = clones.length > 0 ? `: ${listed(clones.map((clone) => keyOf(clone)))}` : "";
    return step(
      "waiting",
      `${deleted}, and is kept as long as it is being cloned${which}`,
      evidence,
      "wait for the clones, or delete those claims",
    );
  }
  if (finalizers.includes(snapshotFinalizer.claim)) {
    const snapshots = foundIn(observed.snapshots) ?? [];
    const [first] = snapshots;
    return step(
      "waiting",
      `${deleted}, and is kept as long as snapshots of it are being taken${first ? `: ${listed(snapshots.map((each) => keyOf(each)))}` : ""}`,
      evidence,
      first
        ? `see csi-sidecars why volumesnapshot ${keyOf(first)}, or delete the snapshot`
        : "it should be gone in seconds; if not, check that the snapshot-controller runs: it removes the finalizer",
    );
  }
  if (finalizers.includes(provisionerFinalizer.inProgress)) {
    return step(
      "waiting",
      `${deleted}, and is kept until the driver has answered whether it created a volume for it`,
      evidence,
      "make sure that the driver's provisioner runs and the driver answers; removing this finalizer by hand may leak a volume",
    );
  }
  if (finalizers.length > 0) {
    return step("waiting", `${deleted}, and is kept by ${listed(finalizers)}`, evidence, "check the controller that set this finalizer");
  }
  return step("waiting", `${deleted}`, evidence);
}
