import { noProvisioner, refKey, type V1PersistentVolumeClaim } from "@csi-sidecars/kube";
import { foundIn } from "../../access/read-cluster.ts";
import { type Step, step } from "../explanation.ts";
import { classNameOf, type ObservedClaim } from "../gather/observed.ts";

/** Whether the claim has a class that says who makes its volume. */
export function classStep(claim: V1PersistentVolumeClaim, observed: ObservedClaim): Step {
  const name = classNameOf(claim);
  const evidence = { object: `PersistentVolumeClaim ${refKey(observed.ref)}`, field: "spec.storageClassName", value: name ?? "not set" };
  if (name === undefined) return withoutClass(observed, evidence);
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
  const maker = provisioner === noProvisioner ? "its volumes are provisioned manually" : `its volumes are provisioned by ${provisioner}`;
  return step("done", `class ${name} exists: ${maker}`, [
    { object: `StorageClass ${name}`, field: "volumeBindingMode", value: volumeBindingMode },
  ]);
}

function withoutClass({ defaultClasses }: ObservedClaim, evidence: Step["evidence"][number]): Step {
  const classes = foundIn(defaultClasses);
  const [first] = classes ?? [];
  if (first) {
    return step(
      "waiting",
      `the claim names no class, and has not got the default class yet: ${first.metadata?.name}`,
      [evidence],
      "if it does not get it within a minute, recreate the claim: clusters before 1.28 set it at creation only",
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
