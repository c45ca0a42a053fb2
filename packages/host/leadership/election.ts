import { sanitizeName } from "@csi-sidecars/kube";
import type { Component } from "../component.ts";

/** A lease that a process runs for, and the components that run while it holds it. */
export interface Election {
  readonly components: readonly Component[];
  /** The name, before sanitizing, of a lease that belongs to one component, whatever program runs it. Absent where components share one. */
  readonly ownLock?: string;
}

/** The elections of these components: the one that they share, if any does, then those of single ones. */
export function electionsOf(enabled: readonly Component[]): readonly Election[] {
  const sharing = enabled.filter(({ leadership }) => leadership === "required");
  const own = enabled
    .filter(({ leadership }) => leadership === "own")
    .map((component): Election => ({ components: [component], ownLock: component.legacyLease?.("") ?? component.standalone }));
  return sharing.length > 0 ? [{ components: sharing }, ...own] : own;
}

/** The one that all components take part in that have none of their own; `undefined` where there is none. */
export function sharedElection(elections: readonly Election[]): Election | undefined {
  return elections.find(({ ownLock }) => ownLock === undefined);
}

export function electionWith(elections: readonly Election[], component: Component): Election | undefined {
  return elections.find(({ components }) => components.includes(component));
}

/** Why the shared lease cannot have the chosen name: a process runs for a lease once. */
export function leaseNameProblems(elections: readonly Election[], chosen: string): readonly string[] {
  if (!sharedElection(elections)) return [];
  return elections
    .filter(({ ownLock }) => ownLock !== undefined && sanitizeName(ownLock) === chosen)
    .map(({ components }) => `--leader-election-lease-name: ${chosen} is the lease of ${components[0]?.name}, which has it to itself`);
}
