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

/** What a container has from its pod where it says nothing itself. */
const inherited = ["runAsUser", "runAsGroup", "runAsNonRoot", "seLinuxOptions", "seccompProfile", "appArmorProfile", "windowsOptions"];

/** One security context: what any of the sidecars was allowed because it had to be, and the restrictions of all. */
export function mergeSecurityContexts(sidecars: readonly LegacySidecar[], pod: Fields): MergedContext {
  const ofPod = inheritedFrom(fieldsAt(pod, "securityContext") ?? {});
  const all = sidecars.map(({ name, container }) => {
    const own = fieldsAt(container, "securityContext") ?? {};
    return { name, own, context: { ...ofPod, ...own } };
  });
  const [first, ...others] = all;
  if (!first) return { warnings: [] };
  if (others.every(({ own }) => alike(own, first.own)))
    return { ...(Object.keys(first.own).length > 0 && { context: first.own }), warnings: rootRefused(first.context) };
  const merged = new Map<string, unknown>();
  const fields = [...new Set(all.flatMap(({ context }) => Object.keys(context)))];
  const differing = fields.filter((field) =>
    others.some(({ context }) => !alike(ownValue(context, field), ownValue(first.context, field))),
  );
  for (const field of fields) merged.set(field, chosen(field, all));
  settleContradictions(merged, all);
  if (ofPod.runAsNonRoot === true && !merged.has("runAsNonRoot")) merged.set("runAsNonRoot", false);
  const effective = Object.fromEntries(merged);
  const context = Object.fromEntries(
    [...merged].filter(([field, value]) => value !== undefined && !(Object.hasOwn(ofPod, field) && alike(value, ownValue(ofPod, field)))),
  );
  const who = differing.map(
    (field) =>
      `${field} (${all.map(({ name, context }) => `${name}: ${ownValue(context, field) !== undefined ? JSON.stringify(ownValue(context, field)) : "not set"}`).join(", ")})`,
  );
  return {
    ...(Object.keys(context).length > 0 && { context }),
    warnings: [
      ...(who.length > 0 ? [`the sidecars differ in securityContext: ${who.join("; ")}; csi-sidecars has ${JSON.stringify(context)}`] : []),
      ...rootRefused(effective),
    ],
  };
}

function inheritedFrom(context: Fields): Fields {
  return Object.fromEntries(inherited.flatMap((field) => (Object.hasOwn(context, field) ? [[field, ownValue(context, field)]] : [])));
}

/** The image runs as root unless it is told otherwise, which the kubelet then refuses. */
function rootRefused({ runAsNonRoot, runAsUser = 0, windowsOptions }: Fields): readonly string[] {
  return runAsNonRoot === true && runAsUser === 0 && windowsOptions === undefined
    ? [
        "runAsNonRoot without a runAsUser other than 0: the image of csi-sidecars runs as root, so the kubelet does not start it; add runAsUser",
      ]
    : [];
}

type Contexts = readonly { readonly name: string; readonly context: Fields }[];

function chosen(field: string, all: Contexts): unknown {
  const given = all.map(({ context }) => ownValue(context, field));
  const [, restriction] = restrictions.find(([name]) => name === field) ?? [];
  if (restriction !== undefined) return given.includes(restriction) ? restriction : given.find((value) => value !== undefined);
  if (field === "privileged") return given.includes(true) || undefined;
  if (field === "capabilities") return capabilities(all);
  if (field === "runAsUser") return idOf(given, all.map(runsAsRoot));
  if (field === "runAsGroup")
    return idOf(
      given,
      given.map((group) => (group ?? 0) === 0),
    );
  return given.find((value) => value !== undefined);
}

/** Root only where one of them was root: who is not may be unable to reach the socket or the kubelet's folder. */
function idOf(given: readonly unknown[], isRoot: readonly boolean[]): unknown {
  if (given.every((value) => value === given[0])) return given[0];
  return isRoot.includes(true) ? 0 : given.find((value) => value !== undefined);
}

/** The images of the sidecars run as root; one that must not has another image. */
function runsAsRoot({ context: { runAsUser, runAsNonRoot } }: Contexts[number]): boolean {
  return runAsUser === undefined ? runAsNonRoot !== true : runAsUser === 0;
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
    for (const field of ["allowPrivilegeEscalation", "capabilities"]) merged.delete(field);
  }
  if (all.some(runsAsRoot)) merged.delete("runAsNonRoot");
}
