import { metav1Time } from "@csi-sidecars/kube";
import type { Kind } from "../../kinds/kind.ts";
import { requiredValue } from "../../rules/field-error.ts";
import { arrayAt, isObject, type JsonObject, objectAt, stringAt } from "../../rules/json.ts";
import { conflictBecause, invalidKind, notFound } from "../../rules/status.ts";
import { type ServerState, tableOf, type Writer } from "../server-state.ts";
import { storageKey } from "../store/revision.ts";

/** POST of a Binding: assigns a pod to a node, once, as a scheduler does. */
export function bindPod(state: ServerState, kind: Kind, namespace: string, name: string, binding: JsonObject, writer: Writer): void {
  const node = stringAt(binding, "target", "name");
  if (node === "") throw invalidKind("", "Binding", name, [requiredValue("target.name")]);
  const existing = tableOf(state, kind).get(storageKey(namespace, name));
  if (!existing) throw notFound(kind, name);
  const pod = existing.object;
  const assigned = stringAt(pod, "spec", "nodeName");
  const bindings = { ...kind, plural: `${kind.plural}/binding` };
  if (stringAt(pod, "metadata", "deletionTimestamp") !== "") {
    throw conflictBecause(bindings, name, `pod ${name} is being deleted, cannot be assigned to a host`);
  }
  if (assigned !== "") throw conflictBecause(bindings, name, `pod ${name} is already assigned to node "${assigned}"`);
  const uid = stringAt(binding, "metadata", "uid");
  const own = stringAt(pod, "metadata", "uid");
  if (uid !== "" && uid !== own) {
    throw conflictBecause(bindings, name, `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${own}`);
  }
  if (writer.dryRun) return;
  state.store.put(tableOf(state, kind), existing.key, {
    ...pod,
    spec: { ...objectAt(pod, "spec"), nodeName: node },
    status: scheduled(objectAt(pod, "status"), metav1Time(state.clock.now())),
  });
}

function scheduled(status: JsonObject, now: string): JsonObject {
  const others = arrayAt(status, "conditions").filter((condition) => !isObject(condition) || condition.type !== "PodScheduled");
  return { ...status, conditions: [...others, { type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime: now }] };
}
