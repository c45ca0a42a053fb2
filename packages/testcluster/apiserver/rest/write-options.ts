import { notSupported } from "../../rules/field-error.ts";
import { arrayAt, type JsonObject, stringAt } from "../../rules/json.ts";
import { invalidKind } from "../../rules/status.ts";
import type { DeleteOptions } from "../objects/delete-object.ts";

/** The kind of the options that a write comes with. */
export type OptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions" | "DeleteOptions";

/** `dryRun=All`, the only value there is. */
export function isDryRun(query: URLSearchParams, optionsKind: OptionsKind): boolean {
  const given = query.getAll("dryRun").filter((value) => value !== "");
  if (given.length === 0) return false;
  if (given.every((value) => value === "All")) return true;
  throw invalidKind("meta.k8s.io", optionsKind, "", [
    { reason: "FieldValueNotSupported", field: "dryRun", message: `Unsupported value: ${JSON.stringify(given)}: supported values: "All"` },
  ]);
}

const propagationPolicies = ["Foreground", "Background", "Orphan"] as const;

const isPropagationPolicy = (text: string): text is (typeof propagationPolicies)[number] =>
  propagationPolicies.some((known) => known === text);

/** The options of a delete come in its body; the grace period may also be in the query. */
export function deleteOptions(body: JsonObject, query: URLSearchParams): DeleteOptions {
  const policy = stringAt(body, "propagationPolicy") || query.get("propagationPolicy") || undefined;
  if (policy !== undefined && !isPropagationPolicy(policy)) {
    throw invalidKind("meta.k8s.io", "DeleteOptions", "", [notSupported("propagationPolicy", policy, [...propagationPolicies, "nil"])]);
  }
  const grace = body.gracePeriodSeconds ?? query.get("gracePeriodSeconds") ?? undefined;
  return {
    uid: stringAt(body, "preconditions", "uid") || undefined,
    resourceVersion: stringAt(body, "preconditions", "resourceVersion") || undefined,
    gracePeriodSeconds: grace === undefined ? undefined : Number(grace),
    propagationPolicy: policy,
  };
}

/** A delete may also ask for a dry run in its body. */
export const isDryRunDelete = (body: JsonObject, query: URLSearchParams): boolean =>
  isDryRun(query, "DeleteOptions") || arrayAt(body, "dryRun").includes("All");
