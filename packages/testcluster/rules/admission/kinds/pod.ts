import { ownValue } from "@csi-sidecars/base";
import { forbiddenField, notSupported } from "../../field-error.ts";
import { arrayAt, isObject, type JsonObject, objectAt, sameValue, stringAt, withAt } from "../../json.ts";
import type { KindRules } from "../../kind.ts";
import { amountOf, withCanonicalQuantities, withConditionTimes } from "../common-fields.ts";
import { containerErrors, imageSpaceErrors } from "./pod-containers.ts";
import { checkVolumes, withVolumeDefaults } from "./pod-volumes.ts";

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

const amounts = [
  ["resources", "requests"],
  ["resources", "limits"],
];

const restartPolicies = ["Always", "OnFailure", "Never"];

const mutable =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/** Pods, as far as volumes are concerned; other rules are not implemented. */
export const podRules: KindRules = {
  defaults: (object, kind) => {
    const fill = (container: JsonObject) => withContainerDefaults(withCanonicalQuantities(container, kind, amounts));
    const spec = objectAt(object, "spec");
    const lists = {
      ...each(spec, "containers", fill),
      ...each(spec, "initContainers", fill),
      ...each(spec, "volumes", withVolumeDefaults),
    };
    const defaulted = { ...object, spec: { ...specDefaults, ...spec, ...lists } };
    return withConditionTimes(defaulted, ["lastProbeTime", "lastTransitionTime"]);
  },
  create: (object) => ({ ...withTolerations(object), status: { phase: "Pending", qosClass: qosClass(object), ...heldBack(object) } }),
  validate: (object, old) => {
    if (old && sameValue(old.spec, object.spec)) return [];
    const { volumes, errors } = checkVolumes(object);
    const policy = stringAt(object, "spec", "restartPolicy");
    return [
      ...errors,
      ...containerErrors(object, volumes),
      ...(restartPolicies.includes(policy) ? [] : [notSupported("spec.restartPolicy", policy, restartPolicies)]),
      ...imageSpaceErrors(object),
    ];
  },
  validateUpdate: (old, object) => (sameValue(frozen(old), frozen(object)) ? [] : [forbiddenField("spec", mutable)]),
};

/** A list of the spec with every item filled in; nothing where there is none. */
function each(spec: JsonObject, member: string, fill: (item: JsonObject) => JsonObject): JsonObject {
  const items = arrayAt(spec, member);
  return items.length === 0 ? {} : { [member]: items.map((item) => (isObject(item) ? fill(item) : item)) };
}

function withContainerDefaults(container: JsonObject): JsonObject {
  const image = stringAt(container, "image");
  const tag = /:([^:/@]+)(?:@|$)/.exec(image)?.[1] ?? (image.includes("@") ? image : "latest");
  return withRequests({ ...containerDefaults, imagePullPolicy: tag === "latest" ? "Always" : "IfNotPresent", ...container });
}

/** A pod with scheduling gates has a condition that says so from the start. */
function heldBack(pod: JsonObject): JsonObject {
  if (arrayAt(pod, "spec", "schedulingGates").length === 0) return {};
  const message = "Scheduling is blocked due to non-empty scheduling gates";
  const condition = { type: "PodScheduled", status: "False", reason: "SchedulingGated", message };
  return { conditions: [{ ...condition, lastProbeTime: null, lastTransitionTime: null }] };
}

/** The default tolerations of not-ready and unreachable nodes. */
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

const counted = ["cpu", "memory"];

/** A limit without a request is also the request. */
function withRequests(container: JsonObject): JsonObject {
  const resources = objectAt(container, "resources");
  if (!isObject(resources.limits)) return container;
  return { ...container, resources: { ...resources, requests: { ...resources.limits, ...objectAt(resources, "requests") } } };
}

/** The QoS class. */
function qosClass(pod: JsonObject): "Guaranteed" | "Burstable" | "BestEffort" {
  const containers = ["containers", "initContainers"].flatMap((member) => arrayAt(pod, "spec", member));
  const amounts = containers.map((container) => ({
    requests: objectAt(container, "resources", "requests"),
    limits: objectAt(container, "resources", "limits"),
  }));
  if (amounts.every(({ requests, limits }) => !counted.some((name) => isSome(ownValue(requests, name)) || isSome(ownValue(limits, name)))))
    return "BestEffort";
  const isGuaranteed = amounts.every(({ requests, limits }) =>
    counted.every((name) => isSome(ownValue(limits, name)) && amountOf(ownValue(requests, name)) === amountOf(ownValue(limits, name))),
  );
  return isGuaranteed ? "Guaranteed" : "Burstable";
}

const isSome = (quantity: unknown) => amountOf(quantity) > 0n;
