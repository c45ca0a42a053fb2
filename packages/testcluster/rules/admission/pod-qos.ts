import { arrayAt, isObject, type JsonObject, objectAt } from "../json.ts";
import { amountOf } from "./resources.ts";

const counted = ["cpu", "memory"];

/** A limit without a request asks for as much. */
export function withRequests(container: JsonObject): JsonObject {
  const resources = objectAt(container, "resources");
  if (!isObject(resources.limits)) return container;
  return { ...container, resources: { ...resources, requests: { ...resources.limits, ...objectAt(resources, "requests") } } };
}

/** How dear a pod's containers are to a node that runs out of something. */
export function qosClass(pod: JsonObject): "Guaranteed" | "Burstable" | "BestEffort" {
  const containers = ["containers", "initContainers"].flatMap((member) => arrayAt(pod, "spec", member));
  const amounts = containers.map((container) => ({
    requests: objectAt(container, "resources", "requests"),
    limits: objectAt(container, "resources", "limits"),
  }));
  if (amounts.every(({ requests, limits }) => !counted.some((name) => isSome(requests[name]) || isSome(limits[name])))) return "BestEffort";
  const isGuaranteed = amounts.every(({ requests, limits }) =>
    counted.every((name) => isSome(limits[name]) && amountOf(requests[name]) === amountOf(limits[name])),
  );
  return isGuaranteed ? "Guaranteed" : "Burstable";
}

const isSome = (quantity: unknown) => amountOf(quantity) > 0n;
