import { ownValue, type Result } from "@csi-sidecars/base";
import type { V1PersistentVolume } from "@csi-sidecars/kube";
import { type CsiVolume, type InTreeVolume, regionLabel, type Translated, type Zoning, zoneLabel } from "./plugins/in-tree-plugin.ts";
import { pluginOf, plugins } from "./plugins.ts";

/** An in-tree volume in CSI terms; `undefined` for any other volume. */
export function translateVolume(volume: InTreeVolume): Result<Translated & { readonly csi: CsiVolume }> | undefined {
  for (const plugin of plugins) {
    const translated = plugin.toCsi(volume);
    if (!translated) continue;
    if (translated.error !== undefined) return translated;
    return { value: { ...translated.value, csi: { driver: plugin.driver, ...translated.value.csi } } };
  }
  return undefined;
}

/** The handle under which the driver lists a translated volume. Drivers that replaced nothing list what they are asked for. */
export function repairHandle(driver: string, handle: string, nodeId: string): Result<string> {
  return pluginOf(driver)?.repairHandle?.(handle, nodeId) ?? { value: handle };
}

type NodeAffinity = NonNullable<V1PersistentVolume["spec"]>["nodeAffinity"];

/** The volume that was made for a class of an in-tree plugin, as that plugin would have described it. */
export function volumeToInTree(volume: V1PersistentVolume, driver: string): Result<V1PersistentVolume> {
  const { csi, ...spec } = volume.spec ?? {};
  const plugin = pluginOf(driver);
  if (!csi || !plugin) return { error: `could not find in-tree plugin translation logic for "${driver}"` };
  const translated = plugin.toInTree(csi);
  if (translated.error !== undefined) return translated;
  const { labels, nodeAffinity } = placeInTree(spec.nodeAffinity, plugin.zoning);
  return {
    value: {
      ...volume,
      metadata: {
        ...volume.metadata,
        annotations: { ...volume.metadata?.annotations, ...translated.value.annotations },
        ...(labels && { labels: { ...labels, ...volume.metadata?.labels } }),
      },
      spec: { ...spec, ...translated.value.spec, ...(nodeAffinity && { nodeAffinity }) },
    },
  };
}

interface Place {
  readonly labels?: Record<string, string>;
  readonly nodeAffinity?: NodeAffinity;
}

/** The driver's topology keys become those of Kubernetes, and the zones a label that older components read. */
function placeInTree(affinity: NodeAffinity, zoning: Zoning | undefined): Place {
  if (!affinity?.required || !zoning || zoning.keepsKeys) return {};
  const names: Readonly<Record<string, string>> = {
    [zoning.zoneKey]: zoneLabel,
    ...(zoning.regionKey && { [zoning.regionKey]: regionLabel }),
  };
  const [zones, regions] = [new Set<string>(), new Set<string>()];
  const nodeSelectorTerms = affinity.required.nodeSelectorTerms.map((term) => {
    const expressions = (term.matchExpressions ?? []).map((each) => ({ ...each, key: ownValue(names, each.key) ?? each.key }));
    const valuesOf = (key: string) => expressions.filter((each) => each.key === key).flatMap(({ values = [] }) => values);
    const derived = [...new Set(valuesOf(zoneLabel).map((zone) => zoning.regionOf?.(zone)))].filter((region) => region !== undefined);
    for (const zone of valuesOf(zoneLabel)) zones.add(zone);
    for (const region of [...valuesOf(regionLabel), ...derived]) regions.add(region);
    const region = derived.length > 0 ? [{ key: regionLabel, operator: "In" as const, values: derived }] : [];
    return { ...term, matchExpressions: [...expressions, ...region] };
  });
  const labels = {
    ...(zones.size > 0 && { [zoneLabel]: [...zones].sort().join("__") }),
    ...(regions.size > 0 && { [regionLabel]: [...regions].sort().join("__") }),
  };
  return { labels, nodeAffinity: { required: { nodeSelectorTerms } } };
}
