import { StatusError } from "@csi-sidecars/kube";
import type { JsonObject } from "../../json.ts";
import type { AdmissionContext } from "../../kind.ts";
import { applyMergePatch } from "../../patch/merge-patch.ts";

/** A context with these stored objects, by group resource. */
export function context(objects: Readonly<Record<string, readonly JsonObject[]>> = {}): AdmissionContext {
  const list = (groupResource: string) => objects[groupResource] ?? [];
  const named = (object: JsonObject) => (object.metadata as { name: string; namespace?: string }) ?? {};
  return {
    get: (groupResource, namespace, name) =>
      list(groupResource).find((object) => named(object).name === name && named(object).namespace === namespace),
    list,
    user: { name: "admin", groups: ["system:masters"] },
    now: Date.parse("2026-01-01T00:00:00.5Z"),
  };
}

/** The outcome of a merge patch, before admission. */
export const merged = (old: object, patch: object): JsonObject => applyMergePatch({ ...old }, patch);

/** The message of the refusal. */
export function refusal(attempt: () => unknown): string {
  try {
    attempt();
  } catch (error) {
    if (error instanceof StatusError) return error.message;
    throw error;
  }
  return "accepted";
}
