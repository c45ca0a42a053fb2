import { hasStorageClassName, noProvisioner, refKey, storageClassName, type V1PersistentVolumeClaim } from "@csi-sidecars/kube";
import { foundIn } from "../../access/read-cluster.ts";
import { type Step, step } from "../explanation.ts";
import type { ObservedClaim } from "../gather/observed.ts";

/** Whether the claim has a class, which says who provisions its volume. */
export function classStep(claim: V1PersistentVolumeClaim, observed: ObservedClaim): Step {
  const name = storageClassName(claim);
  const isNamed = hasStorageClassName(claim);
  const evidence = {
    object: `PersistentVolumeClaim ${refKey(observed.ref)}`,
    field: "spec.storageClassName",
    value: isNamed ? name : "not set",
  };
  if (!isNamed) return withoutClass(observed, evidence);
  if (name === "") return step("done", "the claim requests a volume without class, one that is provisioned manually", [evidence]);
  if (observed.storageClass?.state === "missing") {
    return step(
      "failed",
      `the claim names class ${name}, which does not exist`,
      [evidence],
      `create class ${name}, or recreate the claim with an existing class (kubectl get storageclass)`,
    );
  }
  const storageClass = foundIn(observed.storageClass);
  if (!storageClass) return step("done", `the claim names class ${name}`, [evidence]);
  const { provisioner, volumeBindingMode = "Immediate" } = storageClass;
  const provisionedBy =
    provisioner === noProvisioner ? "its volumes are provisioned manually" : `its volumes are provisioned by ${provisioner}`;
  return step("done", `class ${name} exists: ${provisionedBy}`, [
    { object: `StorageClass ${name}`, field: "volumeBindingMode", value: volumeBindingMode },
  ]);
}

function withoutClass({ defaultClasses }: ObservedClaim, evidence: Step["evidence"][number]): Step {
  const classes = foundIn(defaultClasses);
  const [first] = classes ?? [];
  if (first) {
    return step(
      "waiting",
      `the claim names no class, and is not assigned the default class ${first.metadata?.name} yet`,
      [evidence],
      "if that does not happen within a minute, recreate the claim: clusters before 1.28 set it at creation only",
    );
  }
  const known = classes ? ", and the cluster has no default class" : "";
  return step(
    classes ? "failed" : "waiting",
    `the claim names no class${known}`,
    [evidence],
    'mark a class as the default (annotation storageclass.kubernetes.io/is-default-class: "true"), or name a class in the claim',
  );
}
