import { keyOf, protectionFinalizer, provisionerFinalizer, refKey, type V1PersistentVolumeClaim } from "@csi-sidecars/kube";
import { type Evidence, type Step, step } from "./explanation.ts";
import type { ClaimFacts } from "./facts.ts";
import { valueIn } from "./look.ts";
import { listed } from "./plain-text.ts";

/** A claim that is being deleted: what holds it. */
export function deletionStep(claim: V1PersistentVolumeClaim, facts: ClaimFacts): Step {
  const object = `PersistentVolumeClaim ${refKey(facts.ref)}`;
  const { finalizers = [], deletionTimestamp = "" } = claim.metadata ?? {};
  const evidence: Evidence[] = [{ object, field: "metadata.finalizers", value: finalizers.join(", ") || "none", since: deletionTimestamp }];
  const deleted = "the claim is being deleted";
  if (finalizers.includes(protectionFinalizer.claim)) {
    const pods = valueIn(facts.pods);
    if (!pods) return step("waiting", `${deleted}, and kept as long as pods use it`, evidence, "delete the pods that use the claim");
    if (pods.length === 0) {
      return step(
        "waiting",
        `${deleted}; no pod uses it any more`,
        evidence,
        "it should be gone in seconds; if not, look whether kube-controller-manager runs",
      );
    }
    const names = pods.map((pod) => `${keyOf(pod)}${pod.spec?.nodeName ? ` (on ${pod.spec.nodeName})` : ""}`);
    return step(
      "waiting",
      `${deleted}, and kept because ${pods.length === 1 ? "a pod uses" : `${pods.length} pods use`} it: ${listed(names)}`,
      [
        ...evidence,
        ...pods.slice(0, 3).map((pod): Evidence => ({ object: `Pod ${keyOf(pod)}`, field: "spec.volumes", value: facts.ref.name })),
      ],
      "delete these pods, or what makes them anew; the claim goes with the last of them",
    );
  }
  if (finalizers.includes(provisionerFinalizer.cloneSource)) {
    const clones = valueIn(facts.clones) ?? [];
    const which = clones.length > 0 ? `: ${listed(clones.map((clone) => keyOf(clone)))}` : "";
    return step(
      "waiting",
      `${deleted}, and kept as long as clones are made of it${which}`,
      evidence,
      "wait for the clones, or delete those claims",
    );
  }
  if (finalizers.includes(provisionerFinalizer.inProgress)) {
    return step(
      "waiting",
      `${deleted}, and kept until the driver has said whether it made a volume for it`,
      evidence,
      "let the driver's provisioner run and the driver answer; without this finalizer a volume may stay behind that nobody knows of",
    );
  }
  if (finalizers.length > 0) {
    return step("waiting", `${deleted}, and kept by ${listed(finalizers)}`, evidence, "see to the controller that set this finalizer");
  }
  return step("waiting", `${deleted}`, evidence);
}
