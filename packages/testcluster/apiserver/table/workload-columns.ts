import { arrayAt, at, type JsonObject, objectAt, stringAt } from "../../rules/json.ts";
import { age, type Column, column, labelText, member, nameColumn, since, wide } from "./column.ts";
import { condition } from "./pod-columns.ts";

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

/** The columns of workload kinds, by group resource. */
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
  "cronjobs.batch": [
    nameColumn(),
    member("Schedule", ["spec", "schedule"]),
    member("Timezone", ["spec", "timeZone"], "<none>"),
    column("Suspend", (object) => String(at(object, "spec", "suspend") ?? false), "boolean"),
    column("Active", (object) => arrayAt(object, "status", "active").length, "integer"),
    column("Last Schedule", (object, now) => {
      const last = stringAt(object, "status", "lastScheduleTime");
      return last === "" ? "<none>" : since(last, now);
    }),
    age,
    wide(column("Containers", (object) => containers(objectAt(object, "spec", "jobTemplate"), "name"))),
    wide(column("Images", (object) => containers(objectAt(object, "spec", "jobTemplate"), "image"))),
    wide(column("Selector", (object) => selectorText(objectAt(object, "spec", "jobTemplate", "spec", "selector")))),
  ],
  "jobs.batch": [
    nameColumn(),
    column("Status", jobStatus),
    column("Completions", (job) => `${at(job, "status", "succeeded") ?? 0}/${at(job, "spec", "completions") ?? 1}`),
    column("Duration", jobDuration),
    age,
    names,
    images,
    selector,
  ],
  "poddisruptionbudgets.policy": [
    nameColumn(),
    member("Min Available", ["spec", "minAvailable"], "N/A"),
    member("Max Unavailable", ["spec", "maxUnavailable"], "N/A"),
    counted("Allowed Disruptions", "status", "disruptionsAllowed"),
    age,
  ],
  "statefulsets.apps": [nameColumn(), ready, age, names, images],
};

function jobStatus(job: JsonObject): string {
  const is = (type: string) => condition(job, type)?.status === "True";
  if (is("Complete")) return "Complete";
  if (is("Failed")) return "Failed";
  if (at(job, "metadata", "deletionTimestamp") !== undefined) return "Terminating";
  return is("Suspended") ? "Suspended" : "Running";
}

function jobDuration(job: JsonObject, now: number): string {
  const [start, end] = [stringAt(job, "status", "startTime"), stringAt(job, "status", "completionTime")];
  return start === "" ? "" : since(start, end === "" ? now : Date.parse(end));
}

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
