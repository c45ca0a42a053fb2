import { describe, expect, test } from "bun:test";
import type { V1PersistentVolume } from "@csi-sidecars/kube";
import { isInTree, translatedFields } from "./plugins.ts";
import { drivers } from "./testing/drivers.ts";
import { repairHandle, translateVolume, volumeToInTree } from "./translate-volume.ts";

type Source = Partial<NonNullable<V1PersistentVolume["spec"]>>;
type Meta = NonNullable<V1PersistentVolume["metadata"]>;

const pv = (spec: Source, metadata: Meta = {}) => ({
  metadata: { name: "pv1", ...metadata },
  spec: { accessModes: ["ReadWriteOnce"], ...spec },
});
const zone = (zones: string, label = "topology.kubernetes.io/zone") => ({ labels: { [label]: zones } });
const gce = { gcePersistentDisk: { pdName: "pd" } };
const gceHandle = (place: string) => ({ driver: "pd.csi.storage.gke.io", volumeHandle: `projects/UNSPECIFIED/${place}/disks/pd` });
const file = { secretName: "azure-storage-account-acc-secret", shareName: "share" };
const px = { volumeID: "v" };

/** A volume of which a cache kept only what translating declares to read. */
const cached = ({ metadata, spec }: ReturnType<typeof pv>) => {
  const pick = (values: object = {}, names: readonly string[]) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
  const sources = Object.entries(translatedFields.spec).flatMap(([name, kept]) => (kept ? [name] : []));
  return {
    metadata: {
      name: metadata.name,
      labels: pick(metadata.labels, translatedFields.labels),
      annotations: pick(metadata.annotations, translatedFields.annotations),
    },
    spec: { accessModes: spec.accessModes, claimRef: spec.claimRef, ...pick(spec, sources) },
  };
};

describe("in-tree volumes in CSI terms", () => {
  test.each<[string, Source, Meta, object]>([
    ["gce, no zone", gce, {}, gceHandle("zones/UNSPECIFIED")],
    ["gce, a zone", gce, zone("us-central1-a"), gceHandle("zones/us-central1-a")],
    [
      "gce, the older label wins",
      gce,
      { labels: { ...zone("new").labels, ...zone("old", "failure-domain.beta.kubernetes.io/zone").labels } },
      gceHandle("zones/old"),
    ],
    ["gce, several zones", gce, zone("us-central1-a__us-central1-b"), gceHandle("regions/us-central1")],
    [
      "gce, partition, file system, read-only",
      { gcePersistentDisk: { pdName: "pd", partition: 3, fsType: "xfs", readOnly: true } },
      {},
      { volumeAttributes: { partition: "3" }, fsType: "xfs", readOnly: true },
    ],
    [
      "aws, bare id",
      { awsElasticBlockStore: { volumeID: "vol-1" } },
      {},
      { driver: "ebs.csi.aws.com", volumeHandle: "vol-1", volumeAttributes: { partition: "0" } },
    ],
    [
      "aws, id with zone",
      { awsElasticBlockStore: { volumeID: "aws://us-west-2b/vol-1", partition: 2 } },
      {},
      { volumeHandle: "vol-1", volumeAttributes: { partition: "2" } },
    ],
    ["aws, id without zone", { awsElasticBlockStore: { volumeID: "aws:///vol-1" } }, {}, { volumeHandle: "vol-1" }],
    ["aws, id between slashes", { awsElasticBlockStore: { volumeID: "aws://z//vol-1//" } }, {}, { volumeHandle: "vol-1" }],
    [
      "cinder",
      { cinder: { volumeID: "v", fsType: "xfs", readOnly: true } },
      {},
      { driver: "cinder.csi.openstack.org", volumeHandle: "v", fsType: "xfs", readOnly: true, volumeAttributes: {} },
    ],
    [
      "azure disk",
      { azureDisk: { diskName: "d", diskURI: "/uri", kind: "Managed", cachingMode: "None", fsType: "xfs" } },
      {},
      { driver: "disk.csi.azure.com", volumeHandle: "/uri", volumeAttributes: { kind: "Managed", cachingmode: "None", fstype: "xfs" } },
    ],
    ["azure disk, nothing set", { azureDisk: { diskName: "d", diskURI: "/uri" } }, {}, { volumeAttributes: { kind: "Managed" } }],
    [
      "azure file",
      { azureFile: { ...file, secretNamespace: "ns" } },
      { annotations: { "kubernetes.io/azure-file-resource-group": "rg" } },
      { driver: "file.csi.azure.com", volumeHandle: "rg#acc#share#pv1#ns", volumeAttributes: { sharename: "share" } },
    ],
    [
      "azure file, other names",
      { azureFile: { ...file, secretName: "plain" }, claimRef: { namespace: "claim" } },
      {},
      { volumeHandle: "#plain#share#pv1#claim" },
    ],
    [
      "azure file, an account that looks like a suffix",
      { azureFile: { ...file, secretName: "azure-storage-account-a-secret-secret", secretNamespace: "ns" } },
      {},
      { volumeHandle: "#a-secret#share#pv1#ns" },
    ],
    [
      "azure file, no account in the name",
      { azureFile: { ...file, secretName: "azure-storage-account-secret", secretNamespace: "ns" } },
      {},
      { volumeHandle: "#azure-storage-account-secret#share#pv1#ns" },
    ],
    [
      "vsphere",
      { vsphereVolume: { volumePath: "[ds] a.vmdk", storagePolicyName: "gold", fsType: "ext4" } },
      {},
      { driver: "csi.vsphere.vmware.com", volumeHandle: "[ds] a.vmdk", fsType: "ext4", volumeAttributes: { storagepolicyname: "gold" } },
    ],
    ["portworx", { portworxVolume: px }, {}, { driver: "pxd.portworx.com", volumeHandle: "v" }],
    [
      "portworx with a secret",
      { portworxVolume: px },
      { annotations: { "openstorage.io/auth-secret-name": "s", "openstorage.io/auth-secret-namespace": "ns" } },
      { controllerPublishSecretRef: { name: "s", namespace: "ns" } },
    ],
  ])("%s", (_what, spec, metadata, csi) => {
    const volume = pv(spec, metadata);
    const translated = translateVolume(volume)?.value?.csi;
    expect(translated).toMatchObject(csi);
    if ("volumeAttributes" in csi) expect<unknown>(translated?.volumeAttributes).toEqual(csi.volumeAttributes);
    expect(isInTree(volume)).toBe(true);
    expect(translateVolume(cached(volume))).toEqual(translateVolume(volume)!);
  });

  test.each<[string, Source, Meta, string]>([
    [
      "gce, zones of two regions",
      gce,
      zone("us-central1-a__us-east1-b"),
      "failed to get region from zones: multiple or no regions gotten from zones, got: us-central1 us-east1",
    ],
    [
      "gce, strange zones",
      gce,
      zone("a__b"),
      "failed to get region from zones: zone in unexpected format, expected: {locale}-{region}-{zone}, got: a",
    ],
    [
      "aws, strange id",
      { awsElasticBlockStore: { volumeID: "aws://z/disk" } },
      {},
      "failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume (aws://z/disk)",
    ],
    [
      "azure disk, not managed",
      { azureDisk: { diskName: "d", diskURI: "u", kind: "Dedicated" } },
      {},
      "kind(Dedicated) is not supported in csi migration",
    ],
    ["azure file, no namespace", { azureFile: file }, {}, "could not find a secret namespace in PersistentVolumeSource or ClaimRef"],
  ])("%s cannot be translated", (_what, spec, metadata, error) => {
    expect(translateVolume(pv(spec, metadata))).toEqual({ error });
  });

  // 300,000 characters cost minutes where the time grows with the square of the length.
  const long = 300_000;
  test("an id full of slashes is read once", () => {
    expect(translateVolume(pv({ awsElasticBlockStore: { volumeID: `aws://z/a${"/".repeat(long)}b` } }))?.error).toBeString();
  });

  test("a secret's name that starts over and over is read once", () => {
    const azureFile = { ...file, secretName: "azure-storage-account-".repeat(long / 22), secretNamespace: "ns" };
    expect(translateVolume(pv({ azureFile }))?.value?.csi?.volumeHandle).toEndWith("-#share#pv1#ns");
  });

  test("half a reference to a secret is none", () => {
    const volume = pv({ portworxVolume: px }, { annotations: { "openstorage.io/auth-secret-name": "s" } });
    expect(translateVolume(volume)?.value?.csi.controllerPublishSecretRef).toBeUndefined();
  });

  test("other volumes are left alone", () => {
    const csi = pv({ csi: { driver: "d", volumeHandle: "h" } });
    expect([isInTree(csi), translateVolume(csi)]).toEqual([false, undefined]);
  });

  test.each<[string[] | undefined, string[] | undefined]>([
    [undefined, undefined],
    [[], []],
    [["ReadWriteMany"], ["ReadWriteOnce"]],
    [["ReadWriteOnce", "ReadOnlyMany"], ["ReadWriteOnce"]],
    [["ReadOnlyMany"], ["ReadOnlyMany"]],
    [["ReadWriteOncePod"], ["ReadWriteOnce"]],
  ])("a gce disk with %j is used with %j", (accessModes, expected) => {
    expect(translateVolume(pv({ ...gce, accessModes: accessModes as never }))?.value?.accessModes).toEqual(expected);
  });
});

describe("handles as the driver lists them", () => {
  const driver = "pd.csi.storage.gke.io";
  const node = "projects/p/zones/us-central1-a/instances/n";
  test.each<[string, string, string, object]>([
    [driver, "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/pd", node, { value: "projects/p/zones/us-central1-a/disks/pd" }],
    [driver, "projects/UNSPECIFIED/zones/z/disks/pd", node, { value: "projects/p/zones/z/disks/pd" }],
    [driver, "projects/UNSPECIFIED/regions/r/disks/pd", node, { value: "projects/p/regions/r/disks/pd" }],
    [driver, "projects/UNSPECIFIED/regions/UNSPECIFIED/disks/pd", node, { value: "projects/p/regions/us-central1/disks/pd" }],
    [driver, "projects/q/zones/z/disks/pd", "any", { value: "projects/q/zones/z/disks/pd" }],
    [driver, "pd", node, { error: "volume handle has wrong number of elements; got 1, wanted 6 or more" }],
    [driver, "projects/UNSPECIFIED/zones/z/disks/pd", "n", { error: "node handle has wrong number of elements; got 1, wanted 6 or more" }],
    [
      driver,
      "projects/UNSPECIFIED/x/z/disks/pd",
      node,
      { error: "expected volume handle to have zones or regions regionality value, got: x" },
    ],
    ["ebs.csi.aws.com", "vol-1", "i-1", { value: "vol-1" }],
    ["csi.example.com", "handle1", "nodeID1", { value: "handle1" }],
  ])("%s: %s on %s", (name, handle, nodeId, expected) => {
    expect(repairHandle(name, handle, nodeId)).toEqual(expected as never);
  });
});

describe("a new volume as the plugin would have described it", () => {
  const { gce, aws, cinder, disk, file, vsphere, portworx } = drivers;
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
    [
      "aws, the whole disk",
      aws,
      { volumeAttributes: { partition: "0" } },
      { awsElasticBlockStore: { volumeID: "handle", fsType: "ext4" } },
    ],
    [
      "gce, a partition",
      gce,
      { volumeHandle: "projects/p/zones/z/disks/d", volumeAttributes: { partition: "3" } },
      { gcePersistentDisk: { pdName: "d", fsType: "ext4", partition: 3 } },
    ],
    ["gce", gce, { volumeHandle: "projects/p/zones/z/disks/d" }, { gcePersistentDisk: { pdName: "d", fsType: "ext4" } }],
    ["cinder", cinder, {}, { cinder: { volumeID: "handle", fsType: "ext4" } }],
    [
      "azure disk",
      disk,
      {
        volumeHandle: "/subscriptions/s/resourceGroups/r/providers/Microsoft.Compute/disks/d",
        volumeAttributes: { cachingMode: "readonly" },
      },
      {
        azureDisk: {
          diskName: "d",
          diskURI: "/subscriptions/s/resourceGroups/r/providers/Microsoft.Compute/disks/d",
          kind: "Managed",
          cachingMode: "ReadOnly",
          fsType: "ext4",
          readOnly: false,
        },
      },
    ],
    [
      "azure disk, a blob",
      disk,
      { volumeHandle: "https://a.blob.core.windows.net/vhds/vhds/d.vhd" },
      {
        azureDisk: {
          diskName: "d.vhd",
          diskURI: "https://a.blob.core.windows.net/vhds/vhds/d.vhd",
          kind: "Managed",
          fsType: "ext4",
          readOnly: false,
        },
      },
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
    expect<unknown>(value?.spec).toEqual(expected);
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
    ["us-east-1-wl1-bos-wlz-1", "us-east-1"],
    ["elsewhere", undefined],
  ])("the region of the AWS zone %s is %s", (zone, region) => {
    expect(volumeToInTree(made(aws, {}, [zone]), aws).value?.metadata?.labels?.["topology.kubernetes.io/region"]).toBe(region as string);
  });

  test("a region that is not derived from a zone is a label too, and nothing is made up", () => {
    const expression = { operator: "In" as const, values: ["r1"] };
    const affinity = (key: string) => ({ required: { nodeSelectorTerms: [{ matchExpressions: [{ key, ...expression }] }] } });
    const volume = made(vsphere);
    const { value } = volumeToInTree(
      { ...volume, spec: { ...volume.spec, nodeAffinity: affinity("topology.csi.vmware.com/region") } },
      vsphere,
    );
    expect(value?.metadata?.labels).toEqual({ "topology.kubernetes.io/region": "r1" });
    expect(value?.spec?.nodeAffinity).toEqual(affinity("topology.kubernetes.io/region"));
  });

  test("a driver that replaced no plugin, and a volume without a source, are errors", () => {
    const error = (driver: string) => `could not find in-tree plugin translation logic for "${driver}"`;
    expect(volumeToInTree(made("driver.example.com"), "driver.example.com").error).toBe(error("driver.example.com"));
    expect(volumeToInTree({ spec: {} }, aws).error).toBe(error(aws));
  });

  test("an azure disk keeps the driver's topology keys", () => {
    const volume = made(disk, { volumeHandle: "/subscriptions/s/providers/Microsoft.Compute/disks/d" }, ["eu-1"]);
    const { value } = volumeToInTree(volume, disk);
    expect([value?.metadata?.labels, value?.spec?.nodeAffinity]).toEqual([undefined, volume.spec?.nodeAffinity]);
  });

  test.each<[string, object, object, Record<string, string>]>([
    ["of another resource group", {}, {}, { "kubernetes.io/azure-file-resource-group": "rg" }],
    ["of the cluster's resource group", { volumeHandle: "#acc#share#d#ns" }, {}, {}],
    [
      "with a secret in its attributes",
      { volumeHandle: "##share##", volumeAttributes: { secretName: "s", secretNamespace: "sns" } },
      { secretName: "s", secretNamespace: "sns" },
      {},
    ],
    [
      "with a secret for staging",
      { volumeHandle: "##share##", nodeStageSecretRef: { name: "n", namespace: "nns" } },
      { secretName: "n", secretNamespace: "nns" },
      {},
    ],
    ["without a namespace", { volumeHandle: "#acc#share##" }, { secretNamespace: "default" }, {}],
  ])("an azure file share %s", (_, csi, share, annotations) => {
    const { value } = volumeToInTree(made(file, { volumeHandle: "rg#acc#share#d#ns", ...csi }), file);
    expect(value?.spec?.azureFile).toMatchObject(share);
    expect(value?.metadata?.annotations).toEqual({ a: "b", ...annotations });
  });

  test.each<[string, string, object, string]>([
    ["a handle without a disk", gce, {}, "could not get PD name from volume handle handle"],
    ["a handle without an account", file, { volumeHandle: "##share##" }, "could not get share and account from volume handle ##share##"],
    ["a handle without a share", file, { volumeHandle: "#acc###" }, "could not get share and account from volume handle #acc###"],
    [
      "a partition that is no number",
      gce,
      { volumeHandle: "projects/p/zones/z/disks/d", volumeAttributes: { partition: "x" } },
      "failed to convert partition x to integer",
    ],
    ["a partition that is no number, aws", aws, { volumeAttributes: { partition: "x" } }, "failed to convert partition x to integer"],
  ])("%s is an error", (_, driver, csi, error) => {
    expect(volumeToInTree(made(driver, csi), driver).error).toBe(error);
  });
});
