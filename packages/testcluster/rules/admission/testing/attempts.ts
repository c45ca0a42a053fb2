import { StatusError } from "@csi-sidecars/kube";
import type { JsonObject } from "../../json.ts";
import type { AdmissionContext } from "../../kind.ts";
import { applyMergePatch } from "../../patch/merge-patch.ts";

/** A world that holds these objects, by group resource, at one moment. */
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

/** What a merge patch makes of an object, before the rules see it. */
export const merged = (old: object, patch: object): JsonObject => applyMergePatch({ ...old }, patch);

/** The message with which the server says no. */
export function refusal(attempt: () => unknown): string {
  try {
    attempt();
  } catch (error) {
    if (error instanceof StatusError) return error.message;
    throw error;
  }
  return "accepted";
}
