import { ownValue } from "@csi-sidecars/base";
import { alike, type Fields, fieldsAt } from "./container.ts";
import type { LegacySidecar } from "./legacy-sidecar.ts";

export interface MergedContext {
  readonly context?: Fields;
  readonly warnings: readonly string[];
}

/** Restrictions that csi-sidecars can always live with: if one sidecar had them, all controllers have them. */
const restrictions: readonly (readonly [field: string, value: unknown])[] = [
  ["allowPrivilegeEscalation", false],
  ["readOnlyRootFilesystem", true],
  ["runAsNonRoot", true],
];

/** One security context: what any of the sidecars was allowed because it had to be, and the restrictions of all. */
export function mergeSecurityContexts(sidecars: readonly LegacySidecar[]): MergedContext {
  const all = sidecars.map(({ name, container }) => ({ name, context: fieldsAt(container, "securityContext") ?? {} }));
  const [first, ...others] = all;
  if (!first || others.every(({ context }) => alike(context, first.context)))
    return { ...(first && Object.keys(first.context).length > 0 && { context: first.context }), warnings: [] };
  const merged = new Map<string, unknown>();
  const fields = [...new Set(all.flatMap(({ context }) => Object.keys(context)))];
  const differing = fields.filter((field) =>
    others.some(({ context }) => !alike(ownValue(context, field), ownValue(first.context, field))),
  );
  for (const field of fields) merged.set(field, chosen(field, all));
  settleContradictions(merged, all);
  const who = differing.map(
    (field) =>
      `${field} (${all.map(({ name, context }) => `${name}: ${ownValue(context, field) !== undefined ? JSON.stringify(ownValue(context, field)) : "not set"}`).join(", ")})`,
  );
  const context = Object.fromEntries([...merged].filter(([, value]) => value !== undefined));
  return {
    ...(Object.keys(context).length > 0 && { context }),
    warnings: [`the sidecars differ in securityContext: ${who.join("; ")}; csi-sidecars has ${JSON.stringify(context)}`],
  };
}

type Contexts = readonly { readonly name: string; readonly context: Fields }[];

function chosen(field: string, all: Contexts): unknown {
  const given = all.map(({ context }) => ownValue(context, field));
  const [, restriction] = restrictions.find(([name]) => name === field) ?? [];
  if (restriction !== undefined) return given.includes(restriction) ? restriction : given.find((value) => value !== undefined);
  if (field === "privileged") return given.includes(true) || undefined;
  if (field === "capabilities") return capabilities(all);
  // Who is not root may be unable to reach the socket or the kubelet's folder, root can.
  if (field === "runAsUser" || field === "runAsGroup") return given.every((value) => value === given[0]) ? given[0] : 0;
  return given.find((value) => value !== undefined);
}

/** What one sidecar had added stays; what one had dropped is dropped. */
function capabilities(all: Contexts): Fields | undefined {
  const words = (field: "add" | "drop") => {
    const lists = all.map(({ context }) => fieldsAt(context, "capabilities")?.[field]);
    return [...new Set(lists.flatMap((list) => (Array.isArray(list) ? list : [])))];
  };
  const [add, drop] = [words("add"), words("drop")];
  return { ...(add.length > 0 && { add }), ...(drop.length > 0 && { drop: drop.includes("ALL") ? ["ALL"] : drop }) };
}

function settleContradictions(merged: Map<string, unknown>, all: Contexts): void {
  if (merged.get("privileged") === true) {
    for (const field of ["allowPrivilegeEscalation", "capabilities", "runAsNonRoot"]) merged.delete(field);
  }
  if (
    merged.get("runAsUser") === 0 ||
    (merged.get("runAsUser") === undefined && !all.every(({ context }) => context.runAsNonRoot === true))
  )
    merged.delete("runAsNonRoot");
}
