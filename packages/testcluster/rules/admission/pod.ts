import { forbiddenField, requiredValue } from "../field-error.ts";
import { arrayAt, isObject, type JsonObject, objectAt, sameValue, stringAt, withAt } from "../json.ts";
import { withConditionTimes } from "./condition-times.ts";
import type { KindRules } from "./kind-rules.ts";

const specDefaults = {
  restartPolicy: "Always",
  terminationGracePeriodSeconds: 30,
  dnsPolicy: "ClusterFirst",
  securityContext: {},
  schedulerName: "default-scheduler",
  priority: 0,
  enableServiceLinks: true,
  preemptionPolicy: "PreemptLowerPriority",
};

const containerDefaults = {
  resources: {},
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File",
};

const toleration = (key: string) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 });
const tolerated = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

const mutable =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/** Pods as volumes see them: who uses which claim on which node. The rest of their rules is not rebuilt here. */
export const podRules: KindRules = {
  defaults: (object) => {
    const spec = objectAt(object, "spec");
    const containers = arrayAt(spec, "containers").map((container) => (isObject(container) ? withContainerDefaults(container) : container));
    const defaulted = { ...object, spec: { ...specDefaults, ...spec, ...(containers.length > 0 && { containers }) } };
    return withConditionTimes(defaulted, ["lastProbeTime", "lastTransitionTime"]);
  },
  create: (object) => ({ ...withTolerations(object), status: { phase: "Pending", qosClass: "BestEffort" } }),
  validate: (object) => (arrayAt(object, "spec", "containers").length === 0 ? [requiredValue("spec.containers")] : []),
  validateUpdate: (old, object) => (sameValue(frozen(old), frozen(object)) ? [] : [forbiddenField("spec", mutable)]),
};

function withContainerDefaults(container: JsonObject): JsonObject {
  const image = stringAt(container, "image");
  const tag = /:([^:/@]+)(@.*)?$/.exec(image)?.[1] ?? (image.includes("@") ? image : "latest");
  return { ...containerDefaults, imagePullPolicy: tag === "latest" ? "Always" : "IfNotPresent", ...container };
}

/** A pod outlives a short absence of its node. */
function withTolerations(pod: JsonObject): JsonObject {
  const given = arrayAt(pod, "spec", "tolerations");
  const missing = tolerated.filter((key) => !given.some((one) => isObject(one) && (one.key === key || one.key === undefined)));
  return withAt(pod, ["spec", "tolerations"], [...given, ...missing.map(toleration)]);
}

function frozen(pod: JsonObject): JsonObject {
  const spec = objectAt(pod, "spec");
  const withoutImages = (member: string) =>
    arrayAt(spec, member).map((container) => (isObject(container) ? withAt(container, ["image"], undefined) : container));
  const { activeDeadlineSeconds, tolerations, schedulingGates, ...rest } = spec;
  return { ...rest, containers: withoutImages("containers"), initContainers: withoutImages("initContainers") };
}
