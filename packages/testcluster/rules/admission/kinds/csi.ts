import { ownValue } from "@csi-sidecars/base";
import { duplicateValue, type FieldError, invalidValue, notSupported, requiredValue } from "../../field-error.ts";
import { arrayAt, at, isObject, type JsonObject, objectAt, sameValue, stringAt } from "../../json.ts";
import type { KindRules } from "../../kind.ts";
import { csiDriverNameErrors, dns1123SubdomainErrors, qualifiedNameErrors } from "../../name-validation.ts";
import { amountOf, withCanonicalQuantities } from "../common-fields.ts";

const driversOf = (object: JsonObject): readonly JsonObject[] => arrayAt(object, "spec", "drivers").filter(isObject);

/** A driver on a node keeps its node ID and topology keys as long as it is listed; what it can attach may change. */
export const csiNodeRules: KindRules = {
  defaults: (object) => {
    const drivers = driversOf(object).map((driver) => ({ ...driver, topologyKeys: driver.topologyKeys ?? null }));
    return { ...object, spec: { drivers: drivers.length > 0 ? drivers : null } };
  },
  validate: (object) => {
    const names = driversOf(object).map((driver) => stringAt(driver, "name"));
    return driversOf(object).flatMap((driver, i) => driverErrors(driver, i, names));
  },
  validateUpdate: (old, object) =>
    driversOf(object).flatMap((driver) => {
      const before = driversOf(old).find(({ name }) => name === driver.name);
      if (!before || (before.nodeID === driver.nodeID && sameValue(before.topologyKeys, driver.topologyKeys))) return [];
      const shown = { Name: driver.name, NodeID: driver.nodeID, TopologyKeys: driver.topologyKeys, Allocatable: null };
      return [invalidValue("spec.drivers", shown, "field is immutable")];
    }),
};

function driverErrors(driver: JsonObject, i: number, names: readonly string[]): FieldError[] {
  const field = `spec.drivers[${i}]`;
  const name = stringAt(driver, "name");
  const count = at(driver, "allocatable", "count");
  const keys = arrayAt(driver, "topologyKeys").map(String);
  return [
    ...(name ? csiDriverNameErrors(name).map((fault) => invalidValue(`${field}.name`, name, fault)) : [requiredValue(`${field}.name`)]),
    ...nodeIdErrors(stringAt(driver, "nodeID"), `${field}.nodeID`),
    ...(typeof count === "number" && count < 0
      ? [invalidValue(`${field}.allocatable.count`, count, "must be greater than or equal to 0")]
      : []),
    ...(name && names.indexOf(name) < i ? [duplicateValue(`${field}.name`, name)] : []),
    ...keys.flatMap((key, k) => [
      ...(keys.indexOf(key) < k ? [duplicateValue(field, key)] : []),
      ...qualifiedNameErrors(key).map((fault) => invalidValue(field, key, fault)),
    ]),
  ];
}

function nodeIdErrors(nodeId: string, field: string): FieldError[] {
  if (nodeId === "") return [requiredValue(field)];
  return nodeId.length > 256 ? [invalidValue(field, nodeId, "must be 256 characters or less")] : [];
}

const driverDefaults = {
  attachRequired: true,
  podInfoOnMount: false,
  volumeLifecycleModes: ["Persistent"],
  storageCapacity: false,
  fsGroupPolicy: "ReadWriteOnceWithFSType",
  requiresRepublish: false,
  seLinuxMount: false,
};

/** CSIDriver, with its defaults. */
export const csiDriverRules: KindRules = {
  validateName: csiDriverNameErrors,
  defaults: (object) => {
    const given = Object.entries(objectAt(object, "spec")).filter(([, value]) => value !== null);
    return { ...object, spec: { ...driverDefaults, ...Object.fromEntries(given) } };
  },
  validate: (object) => {
    const { fsGroupPolicy, volumeLifecycleModes, nodeAllocatableUpdatePeriodSeconds: period } = objectAt(object, "spec");
    const modes = ["Persistent", "Ephemeral"];
    const policies = ["File", "None", "ReadWriteOnceWithFSType"];
    return [
      ...arrayAt({ volumeLifecycleModes }, "volumeLifecycleModes")
        .filter((mode) => !modes.includes(String(mode)))
        .map((mode) => notSupported("spec.volumeLifecycleModes", mode, modes)),
      ...(policies.includes(String(fsGroupPolicy)) ? [] : [notSupported("spec.fsGroupPolicy", fsGroupPolicy, policies)]),
      ...(typeof period === "number" && period < 10
        ? [invalidValue("spec.nodeAllocatableUpdatePeriodSeconds", period, "must be greater than or equal to 10 seconds")]
        : []),
    ];
  },
  validateUpdate: (old, object) => {
    const [before, after] = [objectAt(old, "spec"), objectAt(object, "spec")];
    const errors: FieldError[] = [];
    if (before.attachRequired !== after.attachRequired) {
      errors.push(invalidValue("spec.attachedRequired", after.attachRequired, "field is immutable"));
    }
    if (!sameValue(before.volumeLifecycleModes, after.volumeLifecycleModes)) {
      errors.push(invalidValue("spec.volumeLifecycleModes", after.volumeLifecycleModes, "field is immutable"));
    }
    return errors;
  },
};

/** CSIStorageCapacity: only the capacities are mutable. */
export const csiStorageCapacityRules: KindRules = {
  defaults: (object, kind) => withCanonicalQuantities(object, kind, [["capacity"], ["maximumVolumeSize"]]),
  validate: (object) => {
    const storageClass = stringAt(object, "storageClassName");
    const negative = (field: string) =>
      amountOf(ownValue(object, field)) < 0n ? [invalidValue(field, ownValue(object, field), "must be greater than or equal to 0")] : [];
    return [
      ...dns1123SubdomainErrors(storageClass).map((fault) => invalidValue("storageClassName", storageClass, fault)),
      ...negative("capacity"),
    ];
  },
  validateUpdate: (old, object) =>
    ["nodeTopology", "storageClassName"]
      .filter((field) => !sameValue(ownValue(old, field), ownValue(object, field)))
      .map((field) => invalidValue(field, ownValue(object, field), "field is immutable")),
};
