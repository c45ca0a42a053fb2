import { ownValue } from "@csi-sidecars/base";
import { duplicateValue, type FieldError, forbiddenField, invalidValue, requiredValue } from "../../field-error.ts";
import { arrayAt, isObject, type JsonObject, objectAt, stringAt } from "../../json.ts";
import { dns1123LabelErrors } from "../../name-validation.ts";

/** What a container can mount, by name: only volumes without a fault. */
export type PodVolumes = ReadonlyMap<string, JsonObject>;

const filesReadableBy = 0o644;
const withMode = ["secret", "configMap", "projected", "downwardAPI"];

/** A volume that names no source is an empty directory. */
export function withVolumeDefaults(volume: JsonObject): JsonObject {
  const sources = sourcesOf(volume);
  if (sources.length === 0) return { ...volume, emptyDir: {} };
  const filled = sources.map((source): [string, JsonObject] => {
    const given = objectAt(volume, source);
    if (withMode.includes(source)) return [source, { defaultMode: filesReadableBy, ...given }];
    return [source, source === "hostPath" ? { type: "", ...given } : given];
  });
  return { ...volume, ...Object.fromEntries(filled) };
}

const sourcesOf = (volume: JsonObject) => Object.keys(volume).filter((member) => member !== "name" && isObject(ownValue(volume, member)));

/** The volumes of a pod, and what is wrong with them. */
export function checkVolumes(pod: JsonObject): { readonly volumes: PodVolumes; readonly errors: readonly FieldError[] } {
  const all = arrayAt(pod, "spec", "volumes").filter(isObject);
  const owner = stringAt(pod, "metadata", "name");
  const toBeMade = new Set(all.filter(({ ephemeral }) => isObject(ephemeral)).map(({ name }) => `${owner}-${name}`));
  const volumes = new Map<string, JsonObject>();
  const errors = all.flatMap((volume, i) => {
    const field = `spec.volumes[${i}]`;
    const name = stringAt(volume, "name");
    const faults = [
      ...sourceErrors(volume, field),
      ...nameErrors(name, `${field}.name`),
      ...(volumes.has(name) ? [duplicateValue(`${field}.name`, name)] : []),
    ];
    if (faults.length === 0) volumes.set(name, volume);
    const claim = stringAt(volume, "persistentVolumeClaim", "claimName");
    const detail = "must not reference a PVC that gets created for an ephemeral volume";
    return toBeMade.has(claim) ? [...faults, invalidValue(`${field}.persistentVolumeClaim.claimName`, claim, detail)] : faults;
  });
  return { volumes, errors };
}

/** Names of volumes and containers. */
export const nameErrors = (name: string, field: string): readonly FieldError[] =>
  name === "" ? [requiredValue(field)] : dns1123LabelErrors(name).map((fault) => invalidValue(field, name, fault));

/** What each source needs; the others are let through. */
const needed: Readonly<Record<string, readonly string[]>> = {
  hostPath: ["path"],
  persistentVolumeClaim: ["claimName"],
  secret: ["secretName"],
  configMap: ["name"],
  csi: ["driver"],
  ephemeral: ["volumeClaimTemplate"],
};

function sourceErrors(volume: JsonObject, field: string): readonly FieldError[] {
  return sourcesOf(volume).flatMap((source, i) => {
    if (i > 0) return [forbiddenField(`${field}.${source}`, "may not specify more than 1 volume type")];
    const given = objectAt(volume, source);
    return (ownValue(needed, source) ?? [])
      .filter((member) => !ownValue(given, member))
      .map((member) => requiredValue(`${field}.${source}.${member}`));
  });
}
