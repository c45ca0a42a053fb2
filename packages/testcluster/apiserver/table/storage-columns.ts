import { wellKnownAnnotation } from "@csi-sidecars/kube";
import { arrayAt, at, type JsonObject, objectAt, stringAt } from "../../rules/json.ts";
import { age, type Column, column, createdAt, member, nameColumn, nameOf, wide } from "./column.ts";

const modes: readonly (readonly [mode: string, short: string])[] = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
];

const shortModes = (given: readonly unknown[]): string =>
  modes
    .filter(([mode]) => given.includes(mode))
    .map(([, short]) => short)
    .join(",");

const phase = column("Status", (object) =>
  at(object, "metadata", "deletionTimestamp") === undefined ? stringAt(object, "status", "phase") : "Terminating",
);

const classAnnotation = wellKnownAnnotation.betaClass;
const storageClass = column(
  "StorageClass",
  (object) => stringAt(object, "metadata", "annotations", classAnnotation) || stringAt(object, "spec", "storageClassName"),
);
const attributesClass = member("VolumeAttributesClass", ["spec", "volumeAttributesClassName"], "<unset>");
const volumeMode = wide(member("VolumeMode", ["spec", "volumeMode"], "<unset>"));

/** What a claim shows of its volume, once it has one. */
const ofVolume = (name: string, cell: (object: JsonObject) => unknown): Column =>
  column(name, (object) => (stringAt(object, "spec", "volumeName") === "" ? "" : cell(object)));

const claims: readonly Column[] = [
  nameColumn(),
  phase,
  member("Volume", ["spec", "volumeName"]),
  ofVolume("Capacity", (object) => at(object, "status", "capacity", "storage") ?? "0"),
  ofVolume("Access Modes", (object) => shortModes(arrayAt(object, "status", "accessModes"))),
  storageClass,
  attributesClass,
  age,
  volumeMode,
];

const volumes: readonly Column[] = [
  nameColumn(),
  member("Capacity", ["spec", "capacity", "storage"], "0"),
  column("Access Modes", (object) => shortModes(arrayAt(object, "spec", "accessModes"))),
  member("Reclaim Policy", ["spec", "persistentVolumeReclaimPolicy"]),
  phase,
  column("Claim", (object) => {
    const claim = objectAt(object, "spec", "claimRef");
    return claim.name === undefined ? "" : `${stringAt(claim, "namespace")}/${stringAt(claim, "name")}`;
  }),
  storageClass,
  attributesClass,
  member("Reason", ["status", "reason"]),
  age,
  volumeMode,
];

const drivers: readonly Column[] = [
  nameColumn(),
  member("AttachRequired", ["spec", "attachRequired"], true, "boolean"),
  member("PodInfoOnMount", ["spec", "podInfoOnMount"], false, "boolean"),
  member("StorageCapacity", ["spec", "storageCapacity"], false, "boolean"),
  column("TokenRequests", (object) =>
    at(object, "spec", "tokenRequests") === undefined
      ? "<unset>"
      : arrayAt(object, "spec", "tokenRequests")
          .map((request) => stringAt(request, "audience"))
          .join(","),
  ),
  member("RequiresRepublish", ["spec", "requiresRepublish"], false, "boolean"),
  column("Modes", (object) => arrayAt(object, "spec", "volumeLifecycleModes").join(",") || "<none>"),
  age,
];

const defaultMarks = [wellKnownAnnotation.defaultClass, wellKnownAnnotation.betaDefaultClass];

const isDefault = (object: JsonObject): boolean =>
  defaultMarks.some((mark) => stringAt(object, "metadata", "annotations", mark) === "true");

const classes: readonly Column[] = [
  nameColumn((object) => (isDefault(object) ? `${nameOf(object)} (default)` : nameOf(object))),
  member("Provisioner", ["provisioner"]),
  member("ReclaimPolicy", ["reclaimPolicy"], "Delete"),
  member("VolumeBindingMode", ["volumeBindingMode"], "Immediate"),
  member("AllowVolumeExpansion", ["allowVolumeExpansion"], false),
  age,
];

const attachments: readonly Column[] = [
  nameColumn(),
  { ...member("Attacher", ["spec", "attacher"]), format: "name" },
  member("PV", ["spec", "source", "persistentVolumeName"]),
  member("Node", ["spec", "nodeName"]),
  member("Attached", ["status", "attached"], false, "boolean"),
  age,
];

/** The columns of storage kinds, by group resource. */
export const storageColumns: Readonly<Record<string, readonly Column[]>> = {
  persistentvolumeclaims: claims,
  persistentvolumes: volumes,
  "csidrivers.storage.k8s.io": drivers,
  "csinodes.storage.k8s.io": [nameColumn(), column("Drivers", (object) => arrayAt(object, "spec", "drivers").length, "integer"), age],
  "csistoragecapacities.storage.k8s.io": [nameColumn(), createdAt],
  "storageclasses.storage.k8s.io": classes,
  "volumeattachments.storage.k8s.io": attachments,
  "volumeattributesclasses.storage.k8s.io": [nameColumn(), member("DriverName", ["driverName"]), age],
};
