import type { Features } from "../settings.ts";

const booleans = [
  "attach",
  "topology",
  "expansion",
  "controllerExpansion",
  "nodeExpansion",
  "modify",
  "listSnapshots",
  "groupSnapshots",
  "snapshotMetadata",
  "publishedNodes",
  "publishReadonly",
  "volumeMountGroup",
  "volumeHealth",
  "snapshotTopology",
] as const;

/** Checks features that came as JSON. */
export function checkFeatures(value: unknown): Partial<Features> {
  if (typeof value !== "object" || value === null) throw new Error(`expected an object with some of ${booleans.join(", ")}, expansionMode`);
  const given: Readonly<Record<string, unknown>> = { ...value };
  const features: { -readonly [K in keyof Features]?: Features[K] } = {};
  for (const [key, feature] of Object.entries(given)) {
    const name = booleans.find((candidate) => candidate === key);
    if (name && typeof feature === "boolean") features[name] = feature;
    else if (key === "expansionMode" && (feature === "online" || feature === "offline" || feature === "none"))
      features.expansionMode = feature;
    else
      throw new Error(`${key}: ${JSON.stringify(feature)} is no feature; there are ${booleans.join(", ")} (true or false), expansionMode`);
  }
  return features;
}
