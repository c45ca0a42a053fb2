import { ownValue } from "@csi-sidecars/base";
import { type FieldError, forbiddenField, invalidValue } from "../../field-error.ts";
import { arrayAt, at, type JsonObject, objectAt, sameValue, stringAt, withAt } from "../../json.ts";
import type { KindRules } from "../../kind.ts";
import { dns1123LabelErrors } from "../../name-validation.ts";
import { forbiddenBecause, undecodable } from "../../status.ts";
import { withCanonicalQuantities, withConditionTimes } from "../common-fields.ts";

const permanent = ["default", "kube-system", "kube-public"];

/** Namespaces are active until they are deleted; some cannot be deleted. */
export const namespaceRules: KindRules = {
  validateName: dns1123LabelErrors,
  defaults: (object) => withAt(object, ["metadata", "labels", "kubernetes.io/metadata.name"], at(object, "metadata", "name")),
  create: (object) => ({ ...object, spec: { finalizers: ["kubernetes"] }, status: { phase: "Active" } }),
  update: (old, object) => ({ ...object, spec: old.spec }),
  admitDelete: (object) => {
    const name = stringAt(object, "metadata", "name");
    if (permanent.includes(name)) throw forbiddenBecause("", "namespaces", name, "this namespace may not be deleted");
    return withAt(object, ["status", "phase"], "Terminating");
  },
};

const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };

const nodeInfo = Object.fromEntries(
  [
    "machineID",
    "systemUUID",
    "bootID",
    "kernelVersion",
    "osImage",
    "containerRuntimeVersion",
    "kubeletVersion",
    "kubeProxyVersion",
    "operatingSystem",
    "architecture",
  ].map((member) => [member, ""]),
);

/** Nodes register themselves with their status, and start with the not-ready taint. */
export const nodeRules: KindRules = {
  defaults: (object, kind) => {
    const canonical = withCanonicalQuantities(object, kind, [
      ["status", "capacity"],
      ["status", "allocatable"],
    ]);
    const given = objectAt(canonical, "status");
    const allocatable = given.allocatable ?? given.capacity;
    const status = {
      daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
      nodeInfo,
      ...given,
      ...(allocatable !== undefined && { allocatable }),
    };
    return withConditionTimes({ ...canonical, status }, ["lastHeartbeatTime", "lastTransitionTime"]);
  },
  create: (object) => {
    const taints = arrayAt(object, "spec", "taints");
    return taints.some((taint) => at(taint, "key") === notReady.key) ? object : withAt(object, ["spec", "taints"], [...taints, notReady]);
  },
  validateUpdate: (old, object) => {
    const before = stringAt(old, "spec", "providerID");
    if (!before || before === stringAt(object, "spec", "providerID")) return [];
    return [forbiddenField("spec.providerID", 'node updates may not change providerID except from "" to valid')];
  },
};

const dataKey = /^[-._a-zA-Z0-9]+$/;
const dataKeyText =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Secrets hold bytes; text is encoded on the way in. The content never gets into a message. */
export const secretRules: KindRules = {
  defaults: (object, kind) => {
    const { stringData, data: _data, ...rest } = object;
    // Go's decoder skips line breaks, with which kustomize writes long values.
    const given = Object.entries(objectAt(object, "data")).map(
      ([key, value]) => [key, String(value ?? "").replaceAll(/[\r\n]/g, "")] as const,
    );
    for (const [, value] of given) {
      if (!base64.test(value)) throw undecodable(kind, "illegal base64 data at input byte 0");
    }
    const texts = Object.entries(objectAt({ stringData }, "stringData")).map(([key, text]) => [
      key,
      Buffer.from(String(text)).toString("base64"),
    ]);
    const data = Object.fromEntries([...given, ...texts]);
    return { ...rest, ...(Object.keys(data).length > 0 && { data }), type: object.type ?? "Opaque" };
  },
  validate: (object) => keyErrors(object, "data"),
  validateUpdate: (old, object) => {
    const errors: FieldError[] = [];
    if (old.type !== object.type) errors.push(invalidValue("type", object.type, "field is immutable"));
    return [...errors, ...immutableErrors(old, object)];
  },
};

function keyErrors(object: JsonObject, member: string): FieldError[] {
  return Object.keys(objectAt(object, member))
    .filter((key) => !dataKey.test(key))
    .map((key) => invalidValue(`${member}[${key}]`, key, dataKeyText));
}

/** ConfigMaps, which may be immutable. */
function immutableErrors(old: JsonObject, object: JsonObject): FieldError[] {
  if (old.immutable !== true) return [];
  const sealed = "field is immutable when `immutable` is set";
  return [
    ...(object.immutable === true ? [] : [forbiddenField("immutable", sealed)]),
    ...["data", "binaryData"]
      .filter((field) => !sameValue(ownValue(old, field), ownValue(object, field)))
      .map((field) => forbiddenField(field, sealed)),
  ];
}

export const configMapRules: KindRules = {
  defaults: (object) => {
    const empty = ["data", "binaryData"].filter((member) => Object.keys(objectAt(object, member)).length === 0);
    return Object.fromEntries(Object.entries(object).filter(([member]) => !empty.includes(member)));
  },
  validate: (object) => [
    ...keyErrors(object, "data"),
    ...Object.keys(objectAt(object, "data"))
      .filter((key) => Object.hasOwn(objectAt(object, "binaryData"), key))
      .map((key) => invalidValue(`data[${key}]`, key, "duplicate of key present in binaryData")),
    ...keyErrors(object, "binaryData"),
  ],
  validateUpdate: immutableErrors,
};
