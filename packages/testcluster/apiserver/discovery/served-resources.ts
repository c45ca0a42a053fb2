import { builtInKinds } from "../../kinds/built-in.ts";
import type { Kind } from "../../kinds/kind.ts";
import { newestFirst } from "../../rules/crd/custom-kind.ts";
import { reviewKinds } from "../rest/reviews.ts";
import { scaleKind } from "../rest/scale.ts";
import { tokenKind } from "../rest/token-request.ts";

/** A resource as discovery describes it. */
export interface ServedResource {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly custom: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly ServedSubresource[];
}

interface ServedSubresource {
  readonly name: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  /** Where its objects are of another group. */
  readonly group?: string;
  readonly version?: string;
}

const objectVerbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
const statusVerbs = ["get", "patch", "update"];

/** The built-in groups in discovery order; those of custom resources follow by name. */
const builtInGroupOrder = [
  "apps",
  "events.k8s.io",
  "authentication.k8s.io",
  "authorization.k8s.io",
  "batch",
  "policy",
  "rbac.authorization.k8s.io",
  "storage.k8s.io",
  "apiextensions.k8s.io",
  "coordination.k8s.io",
];

/** The named groups: all but the core one. */
export function servedGroups(kinds: readonly Kind[]): readonly string[] {
  const served = new Set([...kinds, ...reviewKinds].map(({ group }) => group));
  const others = [...served].filter((group) => group !== "" && !builtInGroupOrder.includes(group)).sort();
  return [...builtInGroupOrder.filter((group) => served.has(group)), ...others];
}

/** The versions of a group, the preferred one first. */
export function versionsOf(group: string, kinds: readonly Kind[]): readonly string[] {
  const versions = [...kinds, ...reviewKinds].filter((kind) => kind.group === group).map(({ version }) => version);
  return [...new Set(versions)].sort(newestFirst);
}

export function resourcesOf(group: string, version: string, kinds: readonly Kind[]): readonly ServedResource[] {
  const isMeant = (kind: { readonly group: string; readonly version: string }) => kind.group === group && kind.version === version;
  const resources = [...kinds.filter(isMeant).map(ofKind), ...reviewKinds.filter(isMeant).map(ofReview)];
  return resources.sort((a, b) => (a.plural < b.plural ? -1 : 1));
}

function ofKind(kind: Kind): ServedResource {
  const { plural, singular, namespaced, shortNames, categories } = kind;
  return {
    plural,
    singular,
    kind: kind.kind,
    namespaced,
    custom: kind.custom === true,
    verbs: kind.deletesOneByOne ? objectVerbs.filter((verb) => verb !== "deletecollection") : objectVerbs,
    shortNames,
    categories,
    subresources: [
      ...(kind.bindable ? [{ name: "binding", kind: "Binding", verbs: ["create"] }] : []),
      ...(kind.scalable ? [{ name: "scale", ...scaleKind, verbs: statusVerbs }] : []),
      ...(kind.status ? [{ name: "status", kind: kind.kind, verbs: statusVerbs }] : []),
      ...(kind.issuesTokens ? [{ name: "token", ...tokenKind, verbs: ["create"] }] : []),
    ],
  };
}

function ofReview({ plural, kind }: (typeof reviewKinds)[number]): ServedResource {
  const names = { plural, singular: kind.toLowerCase(), kind, shortNames: [], categories: [] };
  return { ...names, namespaced: false, custom: false, verbs: ["create"], subresources: [] };
}

const builtInGroups: ReadonlySet<string> = new Set([...builtInKinds, ...reviewKinds].map(({ group }) => group));

/** An unknown resource in a built-in group is answered with a Status; in any other group, those of custom resources included, with a plain 404. */
export const isBuiltInGroup = (group: string): boolean => builtInGroups.has(group);
