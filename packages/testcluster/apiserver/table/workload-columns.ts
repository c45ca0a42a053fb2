import { arrayAt, at, type JsonObject, objectAt, stringAt } from "../../rules/json.ts";
import { age, type Column, column, labelText, member, nameColumn, wide } from "./column.ts";

const containers = (object: JsonObject, what: "name" | "image"): string =>
  arrayAt(object, "spec", "template", "spec", "containers")
    .map((container) => stringAt(container, what))
    .join(",");

const names = wide(column("Containers", (object) => containers(object, "name")));
const images = wide(column("Images", (object) => containers(object, "image")));
const selector = wide(column("Selector", (object) => selectorText(objectAt(object, "spec", "selector"))));
const counted = (name: string, ...path: string[]): Column => member(name, path, 0, "integer");
const replicas = (object: JsonObject): unknown => at(object, "spec", "replicas") ?? 0;
const ready = column("Ready", (object) => `${at(object, "status", "readyReplicas") ?? 0}/${replicas(object)}`);

/** Kinds that make pods, by group resource. */
export const workloadColumns: Readonly<Record<string, readonly Column[]>> = {
  "daemonsets.apps": [
    nameColumn(),
    counted("Desired", "status", "desiredNumberScheduled"),
    counted("Current", "status", "currentNumberScheduled"),
    counted("Ready", "status", "numberReady"),
    counted("Up-to-date", "status", "updatedNumberScheduled"),
    counted("Available", "status", "numberAvailable"),
    column("Node Selector", (object) => labelText(objectAt(object, "spec", "template", "spec", "nodeSelector"))),
    age,
    names,
    images,
    selector,
  ],
  "deployments.apps": [
    nameColumn(),
    ready,
    member("Up-to-date", ["status", "updatedReplicas"], 0),
    member("Available", ["status", "availableReplicas"], 0),
    age,
    names,
    images,
    selector,
  ],
  "replicasets.apps": [
    nameColumn(),
    column("Desired", replicas, "integer"),
    counted("Current", "status", "replicas"),
    counted("Ready", "status", "readyReplicas"),
    age,
    names,
    images,
    selector,
  ],
  "statefulsets.apps": [nameColumn(), ready, age, names, images],
};

/** A selector as one types it: `app=a,tier in (b,c),!old`. */
function selectorText(selector: JsonObject): string {
  const labels = Object.entries(objectAt(selector, "matchLabels"))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`);
  const expressions = arrayAt(selector, "matchExpressions").map((one) => expressionText(one));
  return [...labels, ...expressions].join(",") || "<none>";
}

function expressionText(expression: unknown): string {
  const key = stringAt(expression, "key");
  const values = [...arrayAt(expression, "values")].sort().join(",");
  switch (stringAt(expression, "operator")) {
    case "In":
      return `${key} in (${values})`;
    case "NotIn":
      return `${key} notin (${values})`;
    case "DoesNotExist":
      return `!${key}`;
    default:
      return key;
  }
}
