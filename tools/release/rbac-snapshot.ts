import type { Component, PolicyRule } from "@csi-sidecars/host";
import { electionRules } from "@csi-sidecars/host/sub-commands";
import { camelCase } from "../../packages/host/flags/flag.ts";
import type { Snapshot } from "./flags-snapshot.ts";

/** What every component may do: a line for each resource and verb, with the flag or gate that asks for it where it is not the default. */
export function rbacSnapshot(components: readonly Component[]): Snapshot {
  return Object.fromEntries([
    ...components.map((component) => [component.name, permissionsOf(component)]),
    ["leader election", Object.fromEntries(electionRules.flatMap((rule) => linesOf("namespace", rule)).map((line) => [line, "always"]))],
  ]);
}

function permissionsOf(component: Component): Readonly<Record<string, string>> {
  const defaults = Object.fromEntries(Object.entries(component.flags).map(([name, { initial }]) => [camelCase(name), initial]));
  const permissions = new Map(
    linesWith(component, defaults).map(({ line, gate }) => [line, gate === undefined ? "always" : `gate ${gate}`]),
  );
  for (const [name, { initial }] of Object.entries(component.flags)) {
    if (typeof initial !== "boolean") continue;
    const flipped = { ...defaults, [camelCase(name)]: !initial };
    for (const { line } of linesWith(component, flipped)) if (!permissions.has(line)) permissions.set(line, `--${name}=${!initial}`);
  }
  return Object.fromEntries([...permissions].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function linesWith(component: Component, flags: Readonly<Record<string, unknown>>) {
  const { cluster, namespaced } = component.rbac(flags);
  return [
    ...cluster.flatMap((rule) => linesOf("cluster", rule).map((line) => ({ line, gate: rule.gate }))),
    ...namespaced.flatMap((rule) => linesOf("namespace", rule).map((line) => ({ line, gate: rule.gate }))),
  ];
}

function linesOf(scope: string, { apiGroups, resources, verbs }: PolicyRule): readonly string[] {
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) => verbs.map((verb) => `${scope}: ${verb} ${group === "" ? resource : `${resource}.${group}`}`)),
  );
}
