import type { Kind } from "../../kinds/kind.ts";
import { arrayAt, at, type JsonObject, objectAt, stringAt } from "../../rules/json.ts";
import { groupResource } from "../../rules/kind.ts";
import { humanDuration } from "./human-duration.ts";
import { jsonPath } from "./json-path.ts";

/** One column of what `kubectl get` prints. */
export interface Column {
  readonly name: string;
  readonly type: "string" | "integer" | "boolean" | "number" | "date";
  /** Above 0 it is only shown when asked for (`-o wide`). */
  readonly priority: number;
  cell(object: JsonObject, now: number): unknown;
}

const column = (name: string, cell: Column["cell"]): Column => ({ name, type: "string", priority: 0, cell });

const member = (name: string, ...path: string[]): Column => column(name, (object) => at(object, ...path) ?? "");

const name = column("Name", (object) => stringAt(object, "metadata", "name"));

const age = column("Age", (object, now) => since(stringAt(object, "metadata", "creationTimestamp"), now));

const since = (time: string, now: number): string => (time === "" ? "<unknown>" : humanDuration(now - Date.parse(time)));

const modes: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

const accessModes = (...path: string[]): Column =>
  column("Access Modes", (object) =>
    arrayAt(object, ...path)
      .map((mode) => modes[String(mode)] ?? mode)
      .join(","),
  );

const unsetIfEmpty = (text: string): string => text || "<unset>";

const phase = column("Status", (object) =>
  at(object, "metadata", "deletionTimestamp") === undefined ? stringAt(object, "status", "phase") : "Terminating",
);

const volumeColumns: readonly Column[] = [
  member("Capacity", "spec", "capacity", "storage"),
  accessModes("spec", "accessModes"),
  member("Reclaim Policy", "spec", "persistentVolumeReclaimPolicy"),
  phase,
  column("Claim", (object) => {
    const claim = objectAt(object, "spec", "claimRef");
    return claim.name === undefined ? "" : `${stringAt(claim, "namespace")}/${stringAt(claim, "name")}`;
  }),
  member("StorageClass", "spec", "storageClassName"),
  column("VolumeAttributesClass", (object) => unsetIfEmpty(stringAt(object, "spec", "volumeAttributesClassName"))),
  member("Reason", "status", "reason"),
];

const claimColumns: readonly Column[] = [
  phase,
  member("Volume", "spec", "volumeName"),
  member("Capacity", "status", "capacity", "storage"),
  accessModes("status", "accessModes"),
  member("StorageClass", "spec", "storageClassName"),
  column("VolumeAttributesClass", (object) => unsetIfEmpty(stringAt(object, "spec", "volumeAttributesClassName"))),
];

const builtIn: Readonly<Record<string, readonly Column[]>> = {
  namespaces: [member("Status", "status", "phase")],
  persistentvolumeclaims: claimColumns,
  persistentvolumes: volumeColumns,
  pods: [phase, member("Node", "spec", "nodeName")],
  secrets: [member("Type", "type"), column("Data", (object) => Object.keys(objectAt(object, "data")).length)],
  "csidrivers.storage.k8s.io": [
    member("AttachRequired", "spec", "attachRequired"),
    member("PodInfoOnMount", "spec", "podInfoOnMount"),
    member("StorageCapacity", "spec", "storageCapacity"),
  ],
  "csinodes.storage.k8s.io": [column("Drivers", (object) => arrayAt(object, "spec", "drivers").length)],
  "storageclasses.storage.k8s.io": [
    member("Provisioner", "provisioner"),
    member("ReclaimPolicy", "reclaimPolicy"),
    member("VolumeBindingMode", "volumeBindingMode"),
    column("AllowVolumeExpansion", (object) => object.allowVolumeExpansion ?? false),
  ],
  "volumeattachments.storage.k8s.io": [
    member("Attacher", "spec", "attacher"),
    member("PV", "spec", "source", "persistentVolumeName"),
    member("Node", "spec", "nodeName"),
    column("Attached", (object) => at(object, "status", "attached") ?? false),
  ],
  "volumeattributesclasses.storage.k8s.io": [member("DriverName", "driverName")],
  "leases.coordination.k8s.io": [member("Holder", "spec", "holderIdentity")],
};

const eventColumns: readonly Column[] = [
  column("Last Seen", (object, now) => {
    const times = [stringAt(object, "series", "lastObservedTime"), stringAt(object, "lastTimestamp"), stringAt(object, "eventTime")];
    return since(times.find((time) => time !== "") ?? "", now);
  }),
  member("Type", "type"),
  member("Reason", "reason"),
  column("Object", (object) => `${stringAt(object, "involvedObject", "kind").toLowerCase()}/${stringAt(object, "involvedObject", "name")}`),
  member("Message", "message"),
];

/** What is printed of a kind; stored objects go in, whatever version they are read through. */
export function columnsOf(kind: Kind): readonly Column[] {
  if ((kind.viewOf ?? groupResource(kind)) === "events") return eventColumns;
  if (kind.printerColumns && kind.printerColumns.length > 0) return [name, ...kind.printerColumns.map(customColumn)];
  return [name, ...(builtIn[groupResource(kind)] ?? []), age];
}

function customColumn(definition: JsonObject): Column {
  const read = jsonPath(stringAt(definition, "jsonPath"));
  const type = columnType(stringAt(definition, "type"));
  return {
    name: stringAt(definition, "name"),
    type,
    priority: typeof definition.priority === "number" ? definition.priority : 0,
    cell: (object, now) => {
      const value = read(object);
      return type === "date" ? since(typeof value === "string" ? value : "", now) : (value ?? null);
    },
  };
}

function columnType(text: string): Column["type"] {
  return text === "integer" || text === "boolean" || text === "number" || text === "date" ? text : "string";
}
