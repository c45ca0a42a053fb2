import { parameterPrefix } from "@csi-sidecars/kube";
import type { Parameters, TranslatedParameters } from "./in-tree-plugin.ts";

export const fsTypeParameter = `${parameterPrefix}fstype`;

/** By lower-case names: the plugins did not care about case. */
export function renamed(parameters: Parameters, names: Parameters): Parameters {
  return Object.fromEntries(Object.entries(parameters).map(([key, value]) => [names[key.toLowerCase()] ?? key, value]));
}

/** The same, with the zones taken out: a driver gets them as topology. */
export function zoned(parameters: Parameters, names: Parameters): TranslatedParameters {
  const given = Object.entries(parameters);
  const zones = given.flatMap(([key, value]) => {
    if (key.toLowerCase() === "zone") return [value];
    return key.toLowerCase() === "zones" ? value.split(",") : [];
  });
  const others = given.filter(([key]) => !/^zones?$/i.test(key));
  return { parameters: renamed(Object.fromEntries(others), names), ...(zones.length > 0 && { zones }) };
}
