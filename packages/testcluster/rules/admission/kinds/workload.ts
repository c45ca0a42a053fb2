import { ownValue } from "@csi-sidecars/base";
import { type LabelSelector, matchesLabels } from "@csi-sidecars/kube";
import { type FieldError, forbiddenField, invalidValue, requiredValue } from "../../field-error.ts";
import { at, type JsonObject, objectAt, sameValue, sortedMembers, withAt } from "../../json.ts";
import type { KindRules } from "../../kind.ts";

type Defaults = readonly (readonly [path: readonly string[], value: unknown])[];

/** Workloads, as far as kubectl and the controllers read them: pods are checked when they are created. */
const workload = (defaults: Defaults, validateUpdate: KindRules["validateUpdate"]): KindRules => ({
  defaults: (object) =>
    defaults.reduce(
      (whole, [path, value]) => (at(whole, "spec", ...path) === undefined ? withAt(whole, ["spec", ...path], value) : whole),
      object,
    ),
  validate: (object) => [...replicasErrors(object), ...selectorErrors(object)],
  ...(validateUpdate && { validateUpdate }),
});

const immutableSelector: KindRules["validateUpdate"] = (old, object) =>
  sameValue(at(old, "spec", "selector"), at(object, "spec", "selector"))
    ? []
    : [invalidValue("spec.selector", sortedMembers(at(object, "spec", "selector")), "field is immutable")];

export const replicaSetRules = workload([[["replicas"], 1]], immutableSelector);

export const deploymentRules = workload(
  [
    [["replicas"], 1],
    [["revisionHistoryLimit"], 10],
    [["progressDeadlineSeconds"], 600],
    [["strategy", "type"], "RollingUpdate"],
  ],
  immutableSelector,
);

const mutable = [
  ...["replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit", "persistentVolumeClaimRetentionPolicy"],
  "minReadySeconds",
];

export const statefulSetRules = workload(
  [
    [["replicas"], 1],
    [["podManagementPolicy"], "OrderedReady"],
    [["revisionHistoryLimit"], 10],
    [["updateStrategy", "type"], "RollingUpdate"],
    [["persistentVolumeClaimRetentionPolicy", "whenDeleted"], "Retain"],
    [["persistentVolumeClaimRetentionPolicy", "whenScaled"], "Retain"],
  ],
  (old, object) => {
    const fixed = (set: JsonObject) =>
      Object.fromEntries(Object.entries(objectAt(set, "spec")).filter(([field]) => !mutable.includes(field)));
    const named = mutable.map((field) => `'${field}'`);
    const list = `${named.slice(0, -1).join(", ")} and ${named.at(-1)}`;
    return sameValue(fixed(old), fixed(object))
      ? []
      : [forbiddenField("spec", `updates to statefulset spec for fields other than ${list} are forbidden`)];
  },
);

function replicasErrors(object: JsonObject): readonly FieldError[] {
  const replicas = Number(at(object, "spec", "replicas") ?? 0);
  return replicas < 0 ? [invalidValue("spec.replicas", replicas, "must be greater than or equal to 0")] : [];
}

function selectorErrors(object: JsonObject): readonly FieldError[] {
  const selector = objectAt(object, "spec", "selector");
  if (Object.keys(selector).length === 0) return [requiredValue("spec.selector")];
  const labels = objectAt(object, "spec", "template", "metadata", "labels");
  const texts = Object.fromEntries(Object.keys(labels).map((key) => [key, String(ownValue(labels, key))]));
  if (matchesLabels(selector as LabelSelector, texts)) return [];
  return [invalidValue("spec.template.metadata.labels", sortedMembers(labels), "`selector` does not match template `labels`")];
}
