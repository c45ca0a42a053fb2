import { noProvisioner, refKey, type V1PersistentVolumeClaim } from "@csi-sidecars/kube";
import { classNameOf } from "./class-name.ts";
import { type Step, step } from "./explanation.ts";
import type { ClaimFacts } from "./facts.ts";
import { valueIn } from "./look.ts";

/** Whether the claim has a class that says who makes its volume. */
export function classStep(claim: V1PersistentVolumeClaim, facts: ClaimFacts): Step {
  const name = classNameOf(claim);
  const evidence = { object: `PersistentVolumeClaim ${refKey(facts.ref)}`, field: "spec.storageClassName", value: name ?? "not set" };
  if (name === undefined) return withoutClass(facts, evidence);
  if (name === "") return step("done", "the claim asks for a volume without class: one that somebody made by hand", [evidence]);
  if (facts.storageClass?.state === "missing") {
    return step(
      "failed",
      `the claim names class ${name}, which does not exist`,
      [evidence],
      `create class ${name}, or make the claim anew with a class that exists (kubectl get storageclass)`,
    );
  }
  const storageClass = valueIn(facts.storageClass);
  if (!storageClass) return step("done", `the claim names class ${name}`, [evidence]);
  const { provisioner, volumeBindingMode = "Immediate" } = storageClass;
  const maker = provisioner === noProvisioner ? "its volumes are made by hand" : `its volumes are made by ${provisioner}`;
  return step("done", `class ${name} exists: ${maker}`, [
    { object: `StorageClass ${name}`, field: "volumeBindingMode", value: volumeBindingMode },
  ]);
}

function withoutClass({ defaultClasses }: ClaimFacts, evidence: Step["evidence"][number]): Step {
  const classes = valueIn(defaultClasses);
  const [first] = classes ?? [];
  if (first) {
    return step(
      "waiting",
      `the claim names no class, and has yet to be given the default class ${first.metadata?.name}`,
      [evidence],
      "if that does not happen within a minute, make the claim anew: clusters before 1.28 give it at creation only",
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
