import type { KubeList, WatchEvent } from "../../client/client.ts";
import type { KubeObject } from "../../object.ts";
import { resource } from "../../resource.ts";
import { fields } from "../fields/fields.ts";

export interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

export const ConfigMap = resource<ConfigMap>("v1", "configmaps", "ConfigMap", { namespaced: true });
export const configMapFields = fields(ConfigMap, { data: true });

/** `default/<name>` as of a version. */
export function configMap(name: string, resourceVersion: string | number, data?: Record<string, string>): ConfigMap {
  const metadata = { name, namespace: "default", uid: `uid-${name}`, resourceVersion: `${resourceVersion}` };
  return { kind: "ConfigMap", apiVersion: "v1", metadata, ...(data && { data }) };
}

export const added = (object: ConfigMap): WatchEvent<ConfigMap> => ({ type: "ADDED", object });
export const modified = (object: ConfigMap): WatchEvent<ConfigMap> => ({ type: "MODIFIED", object });
export const deleted = (object: ConfigMap): WatchEvent<ConfigMap> => ({ type: "DELETED", object });
export const bookmark = (resourceVersion: string): WatchEvent<ConfigMap> => ({
  type: "BOOKMARK",
  object: { kind: "ConfigMap", metadata: { resourceVersion } },
});
export const initialEnd = (resourceVersion: string): WatchEvent<ConfigMap> => ({
  type: "BOOKMARK",
  object: { kind: "ConfigMap", metadata: { resourceVersion, annotations: { "k8s.io/initial-events-end": "true" } } },
});

export function listOf(resourceVersion: string, items: ConfigMap[], token?: string): KubeList<ConfigMap> {
  return { metadata: { resourceVersion, ...(token && { continue: token }) }, items };
}
