import { describe, expect, test } from "bun:test";
import type { V1PersistentVolume } from "@csi-sidecars/kube";
import { drivers } from "./testing/drivers.ts";
import { volumeToInTree } from "./volume-to-in-tree.ts";

const { gce, aws, cinder, disk, file, vsphere, portworx } = drivers;

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
