import type { Kind } from "../../kinds/kind.ts";
import { newestFirst } from "../../rules/crd/version-order.ts";
import { reviewKinds } from "./reviews.ts";

const objectVerbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
const statusVerbs = ["get", "patch", "update"];

/** The document at a discovery path, `undefined` where there is none. */
export function discoveryDocument(path: string, kinds: readonly Kind[], address: string): object | undefined {
  const parts = path.split("/").filter((part) => part !== "");
  if (parts[0] === "api") return coreDocument(parts.slice(1), kinds, address);
  if (parts[0] !== "apis") return undefined;
  const [group, version, ...rest] = parts.slice(1);
  if (group === undefined)
    return { kind: "APIGroupList", apiVersion: "v1", groups: groupNames(kinds).map((name) => groupEntry(name, kinds)) };
  if (rest.length > 0 || !groupNames(kinds).includes(group)) return undefined;
  if (version === undefined) return { kind: "APIGroup", apiVersion: "v1", ...groupEntry(group, kinds) };
  return versionsOf(group, kinds).includes(version) ? resourceList(`${group}/${version}`, group, version, kinds) : undefined;
}

function coreDocument(parts: readonly string[], kinds: readonly Kind[], address: string): object | undefined {
  if (parts.length === 0) {
    const serverAddressByClientCIDRs = [{ clientCIDR: "0.0.0.0/0", serverAddress: address }];
    return { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs };
  }
  return parts.length === 1 && parts[0] === "v1" ? resourceList("v1", "", "v1", kinds) : undefined;
}

function groupNames(kinds: readonly Kind[]): readonly string[] {
  const names = [...kinds, ...reviewKinds].map(({ group }) => group);
  return [...new Set(names)].filter((name) => name !== "");
}

function versionsOf(group: string, kinds: readonly Kind[]): readonly string[] {
  const versions = [...kinds, ...reviewKinds].filter((kind) => kind.group === group).map(({ version }) => version);
  return [...new Set(versions)].sort(newestFirst);
}

function groupEntry(name: string, kinds: readonly Kind[]): object {
  const versions = versionsOf(name, kinds).map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions, preferredVersion: versions[0] };
}

function resourceList(groupVersion: string, group: string, version: string, kinds: readonly Kind[]): object {
  const served = kinds.filter((kind) => kind.group === group && kind.version === version);
  const reviews = reviewKinds.filter((kind) => kind.group === group && kind.version === version);
  const resources = [
    ...served.flatMap((kind) => [
      resourceEntry(kind),
      ...(kind.bindable ? [bindingEntry(kind)] : []),
      ...(kind.status ? [statusEntry(kind)] : []),
    ]),
    ...reviews.map(({ plural, kind }) => ({ name: plural, singularName: kind.toLowerCase(), namespaced: false, kind, verbs: ["create"] })),
  ];
  return { kind: "APIResourceList", apiVersion: "v1", groupVersion, resources };
}

function resourceEntry({ plural, singular, namespaced, kind, shortNames, categories, deletesOneByOne }: Kind): object {
  return {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs: deletesOneByOne ? objectVerbs.filter((verb) => verb !== "deletecollection") : objectVerbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
  };
}

function statusEntry({ plural, namespaced, kind }: Kind): object {
  return { name: `${plural}/status`, singularName: "", namespaced, kind, verbs: statusVerbs };
}

function bindingEntry({ plural, namespaced }: Kind): object {
  return { name: `${plural}/binding`, singularName: "", namespaced, kind: "Binding", verbs: ["create"] };
}
