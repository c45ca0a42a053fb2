import type { Result } from "@csi-sidecars/base";
import { type InTreePlugin, oldZoneLabel, type Parameters, zoneLabel } from "./plugins/in-tree-plugin.ts";
import { pluginOf } from "./plugins.ts";

interface Term {
  readonly matchLabelExpressions?: readonly { readonly key: string; readonly values: readonly string[] }[];
}

/** What is translated of a StorageClass. */
interface Class {
  readonly provisioner: string;
  readonly parameters?: Parameters;
  readonly allowedTopologies?: readonly Term[];
}

/** A class of the in-tree plugin as the driver that replaced it understands it. */
export function translateClass<T extends Class>(storageClass: T, driver: string): Result<T> {
  const plugin = pluginOf(driver);
  if (!plugin?.parameters) return { value: storageClass };
  const { parameters, zones } = plugin.parameters(storageClass.parameters ?? {});
  const allowed = storageClass.allowedTopologies ?? [];
  if (zones && allowed.length > 0) return { error: "cannot simultaneously set allowed topologies and zone/zones parameters" };
  const fromZones: readonly Term[] = zones ? [{ matchLabelExpressions: [{ key: zoneLabel, values: [...zones] }] }] : [];
  const allowedTopologies = [...fromZones, ...allowed].map((term) => translatedTerm(term, plugin));
  const provisioner = plugin.renamesClass ? driver : storageClass.provisioner;
  return { value: { ...storageClass, provisioner, parameters, ...(allowedTopologies.length > 0 && { allowedTopologies }) } };
}

/** A driver without zones of its own gets the terms as they are. */
function translatedTerm(term: Term, { zoning }: InTreePlugin): Term {
  if (!zoning) return term;
  const { zoneKey, zoneOf } = zoning;
  const matchLabelExpressions = term.matchLabelExpressions?.map((expression) => {
    const key = expression.key === zoneLabel || expression.key === oldZoneLabel ? zoneKey : expression.key;
    return { key, values: key === zoneKey && zoneOf ? expression.values.map(zoneOf) : expression.values };
  });
  return { matchLabelExpressions };
}
