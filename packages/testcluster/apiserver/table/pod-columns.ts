import { arrayAt, at, isObject, type JsonObject, objectAt, stringAt } from "../../rules/json.ts";
import { age, type Column, column, member, nameColumn, since, wide } from "./column.ts";

/** The columns of pods. */
export const podColumns: readonly Column[] = [
  nameColumn(),
  column("Ready", (pod) => {
    const ready = statuses(pod, "containerStatuses").filter((status) => status.ready === true && isObject(at(status, "state", "running")));
    return `${ready.length}/${arrayAt(pod, "spec", "containers").length}`;
  }),
  column("Status", podReason),
  column("Restarts", restarts),
  age,
  wide(member("IP", ["status", "podIP"], "<none>")),
  wide(member("Node", ["spec", "nodeName"], "<none>")),
  wide(member("Nominated Node", ["status", "nominatedNodeName"], "<none>")),
  wide(column("Readiness Gates", readinessGates)),
];

const statuses = (pod: JsonObject, member: string): readonly JsonObject[] => arrayAt(pod, "status", member).filter(isObject);

/** A condition in the status of an object. */
export const condition = (pod: JsonObject, type: string): JsonObject | undefined =>
  arrayAt(pod, "status", "conditions")
    .filter(isObject)
    .find((one) => one.type === type);

function podReason(pod: JsonObject): string {
  const phase = stringAt(pod, "status", "phase");
  const reason = containersReason(pod) ?? initReason(pod) ?? gatedReason(pod) ?? (stringAt(pod, "status", "reason") || phase);
  if (at(pod, "metadata", "deletionTimestamp") === undefined) return reason;
  if (stringAt(pod, "status", "reason") === "NodeLost") return "Unknown";
  return phase === "Succeeded" || phase === "Failed" ? reason : "Terminating";
}

function gatedReason(pod: JsonObject): string | undefined {
  return condition(pod, "PodScheduled")?.reason === "SchedulingGated" ? "SchedulingGated" : undefined;
}

/** The first container, in their order, that waits or has ended; a pod with one that runs is not completed. */
function containersReason(pod: JsonObject): string | undefined {
  if (initReason(pod) !== undefined) return undefined;
  const all = statuses(pod, "containerStatuses");
  const first = all.map(stateReason).find((reason) => reason !== undefined);
  if (first !== "Completed" || !all.some((status) => status.ready === true && isObject(at(status, "state", "running")))) return first;
  return condition(pod, "Ready")?.status === "True" ? "Running" : "NotReady";
}

function stateReason(status: JsonObject): string | undefined {
  const waiting = stringAt(status, "state", "waiting", "reason");
  if (waiting !== "") return waiting;
  const ended = objectAt(status, "state").terminated;
  return isObject(ended) ? endReason(ended) : undefined;
}

function endReason(ended: JsonObject): string {
  if (typeof ended.reason === "string" && ended.reason !== "") return ended.reason;
  return ended.signal ? `Signal:${ended.signal}` : `ExitCode:${ended.exitCode}`;
}

/** The status of a pod whose init containers have not finished. */
function initReason(pod: JsonObject): string | undefined {
  const containers = arrayAt(pod, "spec", "initContainers");
  for (const [i, status] of statuses(pod, "initContainerStatuses").entries()) {
    const ended = objectAt(status, "state").terminated;
    if (isObject(ended) && ended.exitCode === 0) continue;
    if (at(containers[i], "restartPolicy") === "Always" && status.started === true) continue;
    if (isObject(ended)) return `Init:${endReason(ended)}`;
    const waiting = stringAt(status, "state", "waiting", "reason");
    return waiting !== "" && waiting !== "PodInitializing" ? `Init:${waiting}` : `Init:${i}/${containers.length}`;
  }
  return undefined;
}

function restarts(pod: JsonObject, now: number): string {
  const all = statuses(pod, "containerStatuses");
  const count = all.reduce((sum, status) => sum + Number(status.restartCount ?? 0), 0);
  const last =
    all
      .map((status) => stringAt(status, "lastState", "terminated", "finishedAt"))
      .sort()
      .at(-1) ?? "";
  return count > 0 && last !== "" ? `${count} (${since(last, now)} ago)` : String(count);
}

function readinessGates(pod: JsonObject): string {
  const gates = arrayAt(pod, "spec", "readinessGates").map((gate) => stringAt(gate, "conditionType"));
  const open = gates.filter((gate) => condition(pod, gate)?.status === "True");
  return gates.length === 0 ? "<none>" : `${open.length}/${gates.length}`;
}
