import type { Kind } from "../../kinds/kind.ts";
import { resourcesOf, type ServedResource, servedGroups, versionsOf } from "./served-resources.ts";

/** The document at a discovery path, `undefined` where there is none. */
export function discoveryDocument(path: string, kinds: readonly Kind[], address: string): object | undefined {
  const parts = path.split("/").filter((part) => part !== "");
  if (parts[0] === "api") return coreDocument(parts.slice(1), kinds, address);
  if (parts[0] !== "apis") return undefined;
  const [group, version, ...rest] = parts.slice(1);
  const groups = servedGroups(kinds);
  if (group === undefined) return { kind: "APIGroupList", apiVersion: "v1", groups: groups.map((name) => groupEntry(name, kinds)) };
  if (rest.length > 0 || !groups.includes(group)) return undefined;
  if (version === undefined) return { kind: "APIGroup", apiVersion: "v1", ...groupEntry(group, kinds) };
  return versionsOf(group, kinds).includes(version) ? resourceList(`${group}/${version}`, resourcesOf(group, version, kinds)) : undefined;
}

function coreDocument(parts: readonly string[], kinds: readonly Kind[], address: string): object | undefined {
  if (parts.length === 0) {
    const serverAddressByClientCIDRs = [{ clientCIDR: "0.0.0.0/0", serverAddress: address }];
    return { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs };
  }
  return parts.length === 1 && parts[0] === "v1" ? resourceList("v1", resourcesOf("", "v1", kinds)) : undefined;
}

function groupEntry(name: string, kinds: readonly Kind[]): object {
  const versions = versionsOf(name, kinds).map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions, preferredVersion: versions[0] };
}

function resourceList(groupVersion: string, served: readonly ServedResource[]): object {
  return { kind: "APIResourceList", apiVersion: "v1", groupVersion, resources: served.flatMap(entriesOf) };
}

function entriesOf({ plural, singular, namespaced, kind, verbs, shortNames, categories, subresources }: ServedResource): readonly object[] {
  const own = {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
  };
  const inner = subresources.map((sub) => ({
    name: `${plural}/${sub.name}`,
    singularName: "",
    namespaced,
    ...(sub.group !== undefined && { group: sub.group, version: sub.version }),
    kind: sub.kind,
    verbs: sub.verbs,
  }));
  return [own, ...inner];
}

/** The content type of aggregated discovery. */
export const aggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** Whether the client accepts aggregated discovery, as kubectl does. */
export function wantsAggregated(accept: string | undefined): boolean {
  return (accept ?? "").split(",").some((type) => {
    const [media, ...parameters] = type.split(";").map((part) => part.trim());
    return (
      media === "application/json" && ["g=apidiscovery.k8s.io", "v=v2", "as=APIGroupDiscoveryList"].every((one) => parameters.includes(one))
    );
  });
}

/** Everything that is served below `/api` or `/apis`, resources included; `undefined` for other paths. */
export function aggregatedDocument(path: string, kinds: readonly Kind[]): object | undefined {
  const at = path.replace(/\/$/, "");
  if (at !== "/api" && at !== "/apis") return undefined;
  const items = at === "/api" ? [aggregatedGroup("", kinds)] : servedGroups(kinds).map((group) => aggregatedGroup(group, kinds));
  return { kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", metadata: {}, items };
}

function aggregatedGroup(group: string, kinds: readonly Kind[]): object {
  const versions = versionsOf(group, kinds).map((version) => ({
    version,
    resources: resourcesOf(group, version, kinds).map((resource) => aggregatedResource(resource, group, version)),
    freshness: "Current",
  }));
  return { metadata: group === "" ? {} : { name: group }, versions };
}

function aggregatedResource(resource: ServedResource, group: string, version: string): object {
  const { plural, singular, kind, namespaced, custom, verbs, shortNames, categories, subresources } = resource;
  const responseKind = (name: string) => (custom ? { group, version, kind: name } : { group: "", version: "", kind: name });
  return {
    resource: plural,
    responseKind: responseKind(kind),
    scope: namespaced ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(subresources.length > 0 && {
      subresources: subresources.map(({ name, group = "", version = "", kind, verbs }) => ({
        subresource: name,
        responseKind: group === "" ? responseKind(kind) : { group, version, kind },
        verbs,
      })),
    }),
  };
}
