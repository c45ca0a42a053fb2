import { metav1Time } from "@csi-sidecars/kube";
import { type Kind, kindOf } from "../kinds/kind.ts";
import { approvalOf } from "../rules/admission/kinds/custom-resource-definition.ts";
import { servedKinds } from "../rules/crd/custom-kind.ts";
import { arrayAt, at, type JsonObject, objectAt } from "../rules/json.ts";
import type { ServerState } from "./server-state.ts";
import type { Change } from "./store/history.ts";
import type { Watches } from "./watches.ts";

/**
 * Serves the kinds of CustomResourceDefinitions from the moment they are stored until they are removed. Their conditions, and the removal of
 * their objects, are written after the change itself has reached every watcher.
 */
export function serveCustomResources(state: ServerState, watches: Watches): void {
  const definitions = state.store.table("customresourcedefinitions.apiextensions.k8s.io");
  for (const { key, object } of definitions.values()) state.kinds.define(key, kindsOf(object));
  definitions.onChange((change: Change) => {
    const { key, current, previous } = change;
    state.kinds.define(key, current ? kindsOf(current.object) : []);
    if (current) queueMicrotask(() => establish(state, key));
    else if (previous) queueMicrotask(() => removeObjects(state, watches, key));
  });
}

function kindsOf(definition: JsonObject): readonly Kind[] {
  return servedKinds(definition).map((kind) => kindOf(kind.group, kind.version, { ...kind, generation: 1, unconditionalUpdate: false }));
}

function establish(state: ServerState, name: string): void {
  const definitions = state.store.table("customresourcedefinitions.apiextensions.k8s.io");
  const found = definitions.get(name);
  if (!found || arrayAt(found.object, "status", "conditions").some((condition) => at(condition, "type") === "Established")) return;
  const lastTransitionTime = metav1Time(state.clock.now());
  const conditions = [
    { type: "NamesAccepted", status: "True", lastTransitionTime, reason: "NoConflicts", message: "no conflicts found" },
    {
      type: "Established",
      status: "True",
      lastTransitionTime,
      reason: "InitialNamesAccepted",
      message: "the initial names have been accepted",
    },
    ...approvalConditions(found.object, lastTransitionTime),
  ];
  const status = { ...objectAt(found.object, "status"), conditions, acceptedNames: objectAt(found.object, "spec", "names") };
  state.store.put(definitions, name, { ...found.object, status });
}

function approvalConditions(definition: JsonObject, lastTransitionTime: string): readonly JsonObject[] {
  const approved = approvalOf(definition);
  if (approved === undefined) return [];
  const message = `approved in ${approved}`;
  return [{ type: "KubernetesAPIApprovalPolicyConformant", status: "True", lastTransitionTime, reason: "ApprovedAnnotation", message }];
}

/** Removes the objects of a removed definition. Its name is their group resource. */
function removeObjects(state: ServerState, watches: Watches, groupResource: string): void {
  const table = state.store.table(groupResource);
  for (const { key } of [...table.values()]) state.store.remove(table, key);
  const dot = groupResource.indexOf(".");
  watches.stop({ resource: groupResource.slice(0, dot), group: groupResource.slice(dot + 1) }, "end");
}
