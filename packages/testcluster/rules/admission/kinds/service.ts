import { requiredValue } from "../../field-error.ts";
import { arrayAt, isObject, type JsonObject, objectAt, stringAt, withAt } from "../../json.ts";
import type { AdmissionContext, KindRules } from "../../kind.ts";

const specDefaults = {
  internalTrafficPolicy: "Cluster",
  ipFamilies: ["IPv4"],
  ipFamilyPolicy: "SingleStack",
  sessionAffinity: "None",
  type: "ClusterIP",
};

/** Services of driver manifests: they get an address that nothing listens on. */
export const serviceRules: KindRules = {
  defaults: (object) => {
    const spec = objectAt(object, "spec");
    if (spec.type === "ExternalName") return object;
    const ports = arrayAt(spec, "ports").map((port) => (isObject(port) ? { protocol: "TCP", targetPort: port.port, ...port } : port));
    return { ...object, spec: { ...specDefaults, ...spec, ...(ports.length > 0 && { ports }) } };
  },
  create: (object, context) => {
    const address = stringAt(object, "spec", "clusterIP") || freeAddress(context);
    const addressed = stringAt(object, "spec", "type") === "ExternalName" ? object : withAddress(object, address);
    return { ...addressed, status: { loadBalancer: {} } };
  },
  update: (old, object) =>
    stringAt(object, "spec", "clusterIP") === "" && stringAt(old, "spec", "clusterIP") !== ""
      ? withAddress(object, stringAt(old, "spec", "clusterIP"))
      : object,
  validate: (object) => {
    const free = stringAt(object, "spec", "type") === "ExternalName" || stringAt(object, "spec", "clusterIP") === "None";
    return !free && arrayAt(object, "spec", "ports").length === 0 ? [requiredValue("spec.ports")] : [];
  },
};

const withAddress = (object: JsonObject, address: string): JsonObject =>
  withAt(withAt(object, ["spec", "clusterIP"], address), ["spec", "clusterIPs"], [address]);

/** The lowest address of 10.0.0.0/16 that no service has. */
function freeAddress(context: AdmissionContext): string {
  const taken = new Set(context.list("services").map((service) => stringAt(service, "spec", "clusterIP")));
  for (let number = 1; ; number++) {
    const address = `10.0.${number >> 8}.${number & 255}`;
    if (!taken.has(address)) return address;
  }
}
