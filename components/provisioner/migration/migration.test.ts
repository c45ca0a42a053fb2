import { describe, expect, test } from "bun:test";
import type { V1PersistentVolume } from "@csi-sidecars/kube";
import type { Class, Volume } from "../fields.ts";
import { cachedClass, cachedVolume } from "../testing/cached.ts";
import { inTreeNameOf } from "./in-tree-names.ts";
import { translateClass } from "./translate-class.ts";
import { volumeToCsi } from "./volume-to-csi.ts";
import { volumeToInTree } from "./volume-to-in-tree.ts";

const [gce, aws, cinder, disk, file, vsphere, portworx] = [
  "pd.csi.storage.gke.io",
  "ebs.csi.aws.com",
  "cinder.csi.openstack.org",
  "disk.csi.azure.com",
  "file.csi.azure.com",
  "csi.vsphere.vmware.com",
  "pxd.portworx.com",
] as const;
const fsType = "csi.storage.k8s.io/fstype";

describe("a class of the plugin that a driver replaced", () => {
  const allowed = (key: string, ...values: string[]) => [{ matchLabelExpressions: [{ key, values }] }];
  test.each<[string, string, Partial<Class>, Partial<Class>]>([
    [
      "gce",
      gce,
      { parameters: { fsType: "xfs", Zones: "a,b", type: "pd-ssd" } },
      { parameters: { [fsType]: "xfs", type: "pd-ssd" }, allowedTopologies: allowed("topology.gke.io/zone", "a", "b") },
    ],
    ["aws", aws, { parameters: { iopsPerGB: "5" } }, { parameters: { iopspergb: "5", allowautoiopspergbincrease: "true" } }],
    [
      "aws, allowed topologies",
      aws,
      { parameters: {}, allowedTopologies: allowed("topology.kubernetes.io/zone", "a") },
      { parameters: {}, allowedTopologies: allowed("topology.ebs.csi.aws.com/zone", "a") },
    ],
    ["cinder", cinder, { parameters: { fstype: "xfs", zone: "z" } }, { parameters: { [fsType]: "xfs", zone: "z" } }],
    [
      "azure disk",
      disk,
      { parameters: { fstype: "xfs", zone: "1" } },
      { parameters: { fstype: "xfs" }, allowedTopologies: allowed("topology.disk.csi.azure.com/zone", "") },
    ],
    ["azure file", file, { parameters: { skuName: "x" } }, { parameters: { skuName: "x" } }],
    [
      "vsphere",
      vsphere,
      { parameters: { diskformat: "thin", fstype: "xfs", other: "gone" } },
      { parameters: { "diskformat-migrationparam": "thin", [fsType]: "xfs", csimigration: "true" } },
    ],
  ])("%s", (_, driver, given, expected) => {
    expect(translateClass(cachedClass(given), driver).value).toEqual({ ...cachedClass(given), ...expected } as Class);
  });

  test("portworx: its secret is for everything, and the class is the driver's", () => {
    const { value } = translateClass(cachedClass({ parameters: { "openstorage.io/auth-secret-name": "s" } }), portworx);
    expect(value?.provisioner).toBe(portworx);
    expect(Object.keys(value?.parameters ?? {})).toHaveLength(6);
    expect(value?.parameters?.["csi.storage.k8s.io/node-stage-secret-name"]).toBe("s");
  });

  test("zones and allowed topologies exclude each other", () => {
    const both = cachedClass({ parameters: { zone: "a" }, allowedTopologies: allowed("topology.kubernetes.io/zone", "a") });
    expect(translateClass(both, gce).error).toBe("cannot simultaneously set allowed topologies and zone/zones parameters");
  });

  test("only drivers of the table have an in-tree name", () => {
    expect([inTreeNameOf(aws), inTreeNameOf("constructor"), inTreeNameOf("driver.example.com")]).toEqual([
      "kubernetes.io/aws-ebs",
      undefined,
      undefined,
    ]);
  });
});

describe("the handle of an in-tree volume", () => {
  const volume = (spec: object, metadata: object = {}): Volume => cachedVolume({ spec: { csi: undefined, ...spec }, metadata });
  const zone = (value: string) => ({ labels: { "topology.kubernetes.io/zone": value } });
  test.each<[string, Volume, object | undefined]>([
    ["no in-tree volume", cachedVolume(), undefined],
    ["aws", volume({ awsElasticBlockStore: { volumeID: "aws://us/vol-1" } }), { value: "vol-1" }],
    ["aws, plain", volume({ awsElasticBlockStore: { volumeID: "vol-1" } }), { value: "vol-1" }],
    ["gce", volume({ gcePersistentDisk: { pdName: "d" } }, zone("eu-west1-b")), { value: "projects/UNSPECIFIED/zones/eu-west1-b/disks/d" }],
    ["gce, no zone", volume({ gcePersistentDisk: { pdName: "d" } }), { value: "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d" }],
    [
      "gce, regional",
      volume({ gcePersistentDisk: { pdName: "d" } }, zone("eu-west1-b__eu-west1-c")),
      { value: "projects/UNSPECIFIED/regions/eu-west1/disks/d" },
    ],
    ["cinder", volume({ cinder: { volumeID: "c" } }), { value: "c" }],
    ["azure disk", volume({ azureDisk: { diskName: "d", diskURI: "/uri", kind: "Managed" } }), { value: "/uri" }],
    [
      "azure disk, unmanaged",
      volume({ azureDisk: { diskName: "d", diskURI: "/uri", kind: "Shared" } }),
      { error: "kind(Shared) is not supported in csi migration" },
    ],
    [
      "azure file",
      volume({ azureFile: { secretName: "azure-storage-account-acc-secret", shareName: "sh" } }),
      { value: "#acc#sh#pv-1#default" },
    ],
    ["vsphere", volume({ vsphereVolume: { volumePath: "[d] p.vmdk" } }), { value: "[d] p.vmdk" }],
    ["portworx", volume({ portworxVolume: { volumeID: "p" } }), { value: "p" }],
  ])("%s", (_, given, expected) => {
    expect(volumeToCsi(given)).toEqual(expected as never);
  });
});

describe("a new volume as the plugin would have described it", () => {
  const made = (driver: string, csi: object = {}, zones: readonly string[] = []): V1PersistentVolume => ({
    metadata: { name: "pv", annotations: { a: "b" } },
    spec: {
      csi: { driver, volumeHandle: "handle", fsType: "ext4", ...csi },
      ...(zones.length > 0 && {
        nodeAffinity: {
          required: {
            nodeSelectorTerms: zones.map((value) => ({
              matchExpressions: [
                {
                  key: driver === gce ? "topology.gke.io/zone" : "topology.ebs.csi.aws.com/zone",
                  operator: "In" as const,
                  values: [value],
                },
              ],
            })),
          },
        },
      }),
    },
  });
  test.each<[string, string, object, object]>([
    ["aws", aws, {}, { awsElasticBlockStore: { volumeID: "handle", fsType: "ext4" } }],
    ["gce", gce, { volumeHandle: "projects/p/zones/z/disks/d" }, { gcePersistentDisk: { pdName: "d", fsType: "ext4" } }],
    ["cinder", cinder, {}, { cinder: { volumeID: "handle", fsType: "ext4" } }],
    [
      "azure disk",
      disk,
      {
        volumeHandle: "/subscriptions/s/resourceGroups/r/providers/Microsoft.Compute/disks/d",
        volumeAttributes: { cachingMode: "readonly" },
      },
      { azureDisk: { diskName: "d", kind: "Managed", cachingMode: "ReadOnly", fsType: "ext4", readOnly: false } },
    ],
    [
      "azure file",
      file,
      { volumeHandle: "rg#acc#share#d#ns" },
      { azureFile: { shareName: "share", secretName: "azure-storage-account-acc-secret", secretNamespace: "ns" } },
    ],
    [
      "vsphere",
      vsphere,
      { volumeAttributes: { initialvolumefilepath: "[d] p" } },
      { vsphereVolume: { volumePath: "[d] p", fsType: "ext4" } },
    ],
    ["portworx", portworx, {}, { portworxVolume: { volumeID: "handle", fsType: "ext4" } }],
  ])("%s", (_, driver, csi, expected) => {
    const { value } = volumeToInTree(made(driver, csi), driver);
    expect(value?.spec?.csi).toBeUndefined();
    expect(value?.spec).toMatchObject(expected);
    expect(value?.metadata?.annotations).toMatchObject({ a: "b" });
  });

  test("its places become Kubernetes' zones and regions", () => {
    const { value } = volumeToInTree(made(gce, { volumeHandle: "projects/p/zones/z/disks/d" }, ["eu-west1-b", "eu-west1-c"]), gce);
    expect(value?.metadata?.labels).toEqual({
      "topology.kubernetes.io/zone": "eu-west1-b__eu-west1-c",
      "topology.kubernetes.io/region": "eu-west1",
    });
    expect(value?.spec?.nodeAffinity?.required?.nodeSelectorTerms[0]?.matchExpressions).toEqual([
      { key: "topology.kubernetes.io/zone", operator: "In", values: ["eu-west1-b"] },
      { key: "topology.kubernetes.io/region", operator: "In", values: ["eu-west1"] },
    ]);
  });

  test.each([
    ["us-east-1a", "us-east-1"],
    ["us-gov-east-1a", "us-gov-east-1"],
    ["us-east-1-bos-1a", "us-east-1"],
  ])("the region of the AWS zone %s is %s", (zone, region) => {
    expect(volumeToInTree(made(aws, {}, [zone]), aws).value?.metadata?.labels?.["topology.kubernetes.io/region"]).toBe(region);
  });

  test("a handle that cannot be read is an error", () => {
    expect(volumeToInTree(made(gce), gce).error).toBe("could not get PD name from volume handle handle");
  });
});
