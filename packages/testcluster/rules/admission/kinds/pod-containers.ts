import { duplicateValue, type FieldError, invalidValue, notFoundValue, notSupported, requiredValue } from "../../field-error.ts";
import { arrayAt, isObject, type JsonObject, stringAt } from "../../json.ts";
import { nameErrors, type PodVolumes } from "./pod-volumes.ts";

const pullPolicies = ["Always", "IfNotPresent", "Never"];

/** What is wrong with the containers of a pod: their names, images and what they mount. Other rules are not implemented. */
export function containerErrors(pod: JsonObject, volumes: PodVolumes): readonly FieldError[] {
  const main = arrayAt(pod, "spec", "containers").filter(isObject);
  const first = arrayAt(pod, "spec", "initContainers").filter(isObject);
  if (main.length === 0) return [requiredValue("spec.containers")];
  const names = new Set<string>();
  const check = (member: string, containers: readonly JsonObject[]) =>
    containers.flatMap((container, i) => {
      const field = `spec.${member}[${i}]`;
      const name = stringAt(container, "name");
      const isTaken = names.has(name);
      names.add(name);
      return [...errorsOf(container, field, volumes), ...(isTaken ? [duplicateValue(`${field}.name`, name)] : [])];
    });
  return [...check("containers", main), ...check("initContainers", first)];
}

/** What only pods are refused for, not the templates of pods. */
export function imageSpaceErrors(pod: JsonObject): readonly FieldError[] {
  return ["containers", "initContainers"].flatMap((member) =>
    arrayAt(pod, "spec", member).flatMap((container, i) => {
      const image = stringAt(container, "image");
      if (image.trim() === image) return [];
      return [invalidValue(`spec.${member}[${i}].image`, image, "must not have leading or trailing whitespace")];
    }),
  );
}

function errorsOf(container: JsonObject, field: string, volumes: PodVolumes): readonly FieldError[] {
  const policy = stringAt(container, "imagePullPolicy");
  return [
    ...nameErrors(stringAt(container, "name"), `${field}.name`),
    ...(stringAt(container, "image") ? [] : [requiredValue(`${field}.image`)]),
    ...arrayAt(container, "env").flatMap((one, i) => (stringAt(one, "name") ? [] : [requiredValue(`${field}.env[${i}].name`)])),
    ...mountErrors(container, field, volumes),
    ...deviceErrors(container, field, volumes),
    ...(pullPolicies.includes(policy) ? [] : [notSupported(`${field}.imagePullPolicy`, policy, pullPolicies)]),
  ];
}

function mountErrors(container: JsonObject, field: string, volumes: PodVolumes): readonly FieldError[] {
  const devices = arrayAt(container, "volumeDevices");
  const paths = new Set<string>();
  return arrayAt(container, "volumeMounts").flatMap((mount, i) => {
    const at = `${field}.volumeMounts[${i}]`;
    const [name, path] = [stringAt(mount, "name"), stringAt(mount, "mountPath")];
    const isTaken = paths.has(path);
    paths.add(path);
    return [
      ...(name ? [] : [requiredValue(`${at}.name`)]),
      ...(volumes.has(name) ? [] : [notFoundValue(`${at}.name`, name)]),
      ...(path ? [] : [requiredValue(`${at}.mountPath`)]),
      ...(isTaken ? [invalidValue(`${at}.mountPath`, path, "must be unique")] : []),
      ...(devices.some((device) => stringAt(device, "name") === name)
        ? [invalidValue(`${at}.name`, name, "must not already exist in volumeDevices")]
        : []),
      ...(devices.some((device) => stringAt(device, "devicePath") === path)
        ? [invalidValue(`${at}.mountPath`, path, "must not already exist as a path in volumeDevices")]
        : []),
    ];
  });
}

function deviceErrors(container: JsonObject, field: string, volumes: PodVolumes): readonly FieldError[] {
  const mounts = arrayAt(container, "volumeMounts");
  const [names, paths] = [new Set<string>(), new Set<string>()];
  return arrayAt(container, "volumeDevices").flatMap((device, i) => {
    const at = `${field}.volumeDevices[${i}]`;
    const [name, path] = [stringAt(device, "name"), stringAt(device, "devicePath")];
    const volume = volumes.get(name);
    const [isNameTaken, isPathTaken] = [names.has(name), paths.has(path)];
    names.add(name);
    paths.add(path);
    const detail = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
    return [
      ...(name ? [] : [requiredValue(`${at}.name`)]),
      ...(isNameTaken ? [invalidValue(`${at}.name`, name, "must be unique")] : []),
      ...(volume && !volume.persistentVolumeClaim && !volume.ephemeral ? [invalidValue(`${at}.name`, name, detail)] : []),
      ...(volume ? [] : [notFoundValue(`${at}.name`, name)]),
      ...(path ? [] : [requiredValue(`${at}.devicePath`)]),
      ...(isPathTaken ? [invalidValue(`${at}.devicePath`, path, "must be unique")] : []),
      ...(mounts.some((mount) => stringAt(mount, "name") === name)
        ? [invalidValue(`${at}.name`, name, "must not already exist in volumeMounts")]
        : []),
      ...(mounts.some((mount) => stringAt(mount, "mountPath") === path)
        ? [invalidValue(`${at}.devicePath`, path, "must not already exist as a path in volumeMounts")]
        : []),
    ];
  });
}
