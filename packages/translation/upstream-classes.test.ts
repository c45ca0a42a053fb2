import { describe, expect, test } from "bun:test";
import { drivers } from "./testing/drivers.ts";
import { translateClass } from "./translate-class.ts";

type Parameters = Readonly<Record<string, string>>;

const { aws, gce, disk, file, cinder, vsphere, portworx } = drivers;
const all = [aws, gce, disk, file, cinder, vsphere, portworx];

const parametersOf = (parameters: Parameters, driver: string) =>
  translateClass({ provisioner: "kubernetes.io/in-tree", parameters }, driver).value?.parameters;

/** Parameters of a class, and what k8s.io/csi-translation-lib v0.36.3 makes of them: for every driver, and where one differs. */
const rows: readonly [string, Parameters, Readonly<Record<string, Parameters>>][] = [
  ["keys with capitals", { Type: "io1", SkuName: "x" }, {}],
  ["iopsPerGB", { iopsPerGB: "5" }, { [aws]: { iopsPerGB: "5", allowautoiopspergbincrease: "true" } }],
  ["IOPSPERGB", { IOPSPERGB: "5" }, { [aws]: { IOPSPERGB: "5", allowautoiopspergbincrease: "true" } }],
  ["iopspergb", { iopspergb: "5" }, { [aws]: { iopspergb: "5", allowautoiopspergbincrease: "true" } }],
  [
    "FSType",
    { FSType: "xfs" },
    Object.fromEntries([
      ...[aws, gce, cinder].map((driver) => [driver, { "csi.storage.k8s.io/fstype": "xfs" }]),
      [vsphere, { "csi.storage.k8s.io/fstype": "xfs", csimigration: "true" }],
    ]),
  ],
  ["ZONE", { ZONE: "a" }, Object.fromEntries([aws, gce, disk].map((driver) => [driver, {}]))],
  [
    "DiskFormat and StoragePolicyName",
    { DiskFormat: "thin", StoragePolicyName: "gold" },
    { [vsphere]: { "diskformat-migrationparam": "thin", storagepolicyname: "gold", csimigration: "true" } },
  ],
  [
    "keys that every JavaScript object inherits",
    Object.fromEntries(["constructor", "__proto__", "toString", "hasOwnProperty"].map((key) => [key, "given"])),
    {},
  ],
];

describe.each(all)("a class for %s has upstream's parameters with", (driver) => {
  test.each(rows)("%s", (_, given, different) => {
    const dropsUnknown = driver === vsphere ? { csimigration: "true" } : given;
    expect(parametersOf(given, driver)).toEqual(different[driver] ?? dropsUnknown);
  });
});

describe("allowed topologies", () => {
  const expressions = (azureZone: string, ...zoneKeys: readonly [string, string]) => [
    { key: zoneKeys[0], values: [azureZone, "a"] },
    { key: zoneKeys[1], values: [azureZone, "a"] },
    { key: "topology.kubernetes.io/region", values: ["1"] },
    { key: "constructor", values: ["1"] },
  ];
  const given = expressions("1", "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone");

  test.each<[string, readonly object[]]>([
    [aws, expressions("1", "topology.ebs.csi.aws.com/zone", "topology.ebs.csi.aws.com/zone")],
    [gce, expressions("1", "topology.gke.io/zone", "topology.gke.io/zone")],
    // Only zones are numbered in places without zones: a region keeps its name.
    [disk, expressions("", "topology.disk.csi.azure.com/zone", "topology.disk.csi.azure.com/zone")],
    [file, given],
    [cinder, expressions("1", "topology.cinder.csi.openstack.org/zone", "topology.cinder.csi.openstack.org/zone")],
    [vsphere, expressions("1", "topology.csi.vmware.com/zone", "topology.csi.vmware.com/zone")],
    [portworx, given],
  ])("of a class for %s are upstream's", (driver, expected) => {
    const storageClass = { provisioner: "kubernetes.io/in-tree", allowedTopologies: [{ matchLabelExpressions: given }] };
    expect(translateClass(storageClass, driver).value?.allowedTopologies).toEqual([{ matchLabelExpressions: [...expected] } as never]);
  });
});
