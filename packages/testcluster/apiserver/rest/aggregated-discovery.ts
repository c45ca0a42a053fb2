import type { Kind } from "../../kinds/kind.ts";
import { resourcesOf, type ServedResource, servedGroups, versionsOf } from "./served-resources.ts";

/** The content type under which a client asks for, and gets, all of discovery in two answers. */
export const aggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** Whether the client knows aggregated discovery; kubectl names it first, before the plain form. */
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
  const items = at === "/api" ? [groupEntry("", kinds)] : servedGroups(kinds).map((group) => groupEntry(group, kinds));
  return { kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", metadata: {}, items };
}

function groupEntry(group: string, kinds: readonly Kind[]): object {
  const versions = versionsOf(group, kinds).map((version) => ({
    version,
    resources: resourcesOf(group, version, kinds).map((resource) => resourceEntry(resource, group, version)),
    freshness: "Current",
  }));
  return { metadata: group === "" ? {} : { name: group }, versions };
}

function resourceEntry(resource: ServedResource, group: string, version: string): object {
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
      subresources: subresources.map((sub) => ({ subresource: sub.name, responseKind: responseKind(sub.kind), verbs: sub.verbs })),
    }),
  };
}
