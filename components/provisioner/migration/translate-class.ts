import type { Class } from "../fields.ts";
import { parameterPrefix } from "../names.ts";
import type { Result } from "../provision/result.ts";
import { oldZoneLabel, zoneKeys, zoneLabel } from "./zone-keys.ts";

type AllowedTopologies = NonNullable<Class["allowedTopologies"]>;

interface Translated {
  readonly parameters: Record<string, string>;
  /** From the parameters `zone` and `zones`. */
  readonly zones?: readonly string[];
}

type Translate = (parameters: Readonly<Record<string, string>>) => Translated;

const fsType = `${parameterPrefix}fstype`;

/** By driver, how the parameters of the in-tree plugin that it replaced are to be read. */
const translations: Readonly<Record<string, Translate>> = {
  "pd.csi.storage.gke.io": (parameters) => zoned(parameters, { fstype: fsType }),
  "ebs.csi.aws.com": (parameters) => {
    const translated = zoned(parameters, { fstype: fsType, iopspergb: "iopspergb" });
    return "iopspergb" in translated.parameters
      ? { ...translated, parameters: { ...translated.parameters, allowautoiopspergbincrease: "true" } }
      : translated;
  },
  "cinder.csi.openstack.org": (parameters) => ({ parameters: renamed(parameters, { fstype: fsType }) }),
  "disk.csi.azure.com": (parameters) => zoned(parameters, {}),
  "csi.vsphere.vmware.com": (parameters) => ({ parameters: { ...vsphereParameters(parameters), csimigration: "true" } }),
  "pxd.portworx.com": (parameters) => ({ parameters: portworxParameters(parameters) }),
};

/** A class of the in-tree plugin as the driver that replaced it understands it. */
export function translateClass(of: Class, driver: string): Result<Class> {
  const translate = translations[driver];
  if (!translate) return { value: of };
  const { parameters, zones } = translate(of.parameters ?? {});
  const allowed = of.allowedTopologies ?? [];
  if (zones && allowed.length > 0) return { error: "cannot simultaneously set allowed topologies and zone/zones parameters" };
  const key = zoneKeys[driver] ?? zoneLabel;
  const fromZones: AllowedTopologies = zones ? [{ matchLabelExpressions: [{ key, values: [...zones] }] }] : [];
  const allowedTopologies = [...fromZones, ...allowed].map((term) => translatedTerm(term, key, driver));
  const provisioner = driver === "pxd.portworx.com" ? driver : of.provisioner;
  return { value: { ...of, provisioner, parameters, ...(allowedTopologies.length > 0 && { allowedTopologies }) } };
}

function translatedTerm(term: AllowedTopologies[number], zoneKey: string, driver: string): AllowedTopologies[number] {
  const matchLabelExpressions = term.matchLabelExpressions?.map(({ key, values }) => ({
    key: key === zoneLabel || key === oldZoneLabel ? zoneKey : key,
    values: driver === "disk.csi.azure.com" ? values.map((value) => (/^\d+$/.test(value) ? "" : value)) : values,
  }));
  return { matchLabelExpressions };
}

function renamed(parameters: Readonly<Record<string, string>>, names: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(parameters).map(([key, value]) => [names[key.toLowerCase()] ?? key, value]));
}

function zoned(parameters: Readonly<Record<string, string>>, names: Readonly<Record<string, string>>): Translated {
  const given = Object.entries(parameters);
  const zones = given.flatMap(([key, value]) => {
    if (key.toLowerCase() === "zone") return [value];
    return key.toLowerCase() === "zones" ? value.split(",") : [];
  });
  const others = given.filter(([key]) => !/^zones?$/i.test(key));
  return { parameters: renamed(Object.fromEntries(others), names), ...(zones.length > 0 && { zones }) };
}

const vsphereOnly = [
  "datastore",
  "diskformat",
  "hostfailurestotolerate",
  "forceprovisioning",
  "cachereservation",
  "diskstripes",
  "objectspacereservation",
  "iopslimit",
];
const vsphereNames: Readonly<Record<string, string>> = {
  fstype: fsType,
  storagepolicyname: "storagepolicyname",
  ...Object.fromEntries(vsphereOnly.map((key) => [key, `${key}-migrationparam`])),
};

function vsphereParameters(parameters: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(parameters).filter(([key]) => key.toLowerCase() in vsphereNames);
  return renamed(Object.fromEntries(kept), vsphereNames);
}

const portworxPurposes = ["provisioner", "controller-publish", "node-publish", "node-stage", "controller-expand", "node-expand"];

function portworxParameters(parameters: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(parameters).flatMap(([key, value]) => {
    const part = /^openstorage\.io\/auth-secret-(name|namespace)$/i.exec(key)?.[1]?.toLowerCase();
    return part ? portworxPurposes.map((purpose) => [`${parameterPrefix}${purpose}-secret-${part}`, value]) : [[key, value]];
  });
  return Object.fromEntries(entries);
}
