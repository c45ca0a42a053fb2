import { describe, expect, test } from "bun:test";
import { AccessMode } from "@csi-sidecars/csi";
import { type BoundClaim, cachedVolume, driverInfo, driverName } from "../testing/objects.ts";
import { expandCall } from "./expand-call.ts";

const csi = { driver: driverName, volumeHandle: "handle-data" };
const mount = (fsType: string, mountFlags: string[] = []) => ({ $case: "mount", mount: { fsType, mountFlags, volumeMountGroup: "" } });
const call = (spec: NonNullable<BoundClaim["volume"]>["spec"], driver = {}, metadata = {}) =>
  expandCall(cachedVolume({ volume: { metadata, spec } }), 100n, { ...driverInfo, ...driver });

describe("expandCall", () => {
  test("asks for the size, and tells how the volume is used", () => {
    expect(call({})).toEqual({
      value: {
        request: {
          volumeId: "handle-data",
          capacityRange: { requiredBytes: 100n, limitBytes: 0n },
          volumeCapability: { accessMode: { mode: AccessMode.SINGLE_NODE_WRITER }, accessType: mount("ext4") as never },
        },
        secret: undefined,
        migrated: false,
      },
    });
  });

  test.each<[string, NonNullable<BoundClaim["volume"]>["spec"], object]>([
    ["mount options", { mountOptions: ["ro"] }, mount("ext4", ["ro"])],
    ["no file system", { csi }, mount("")],
    ["a block device", { volumeMode: "Block" }, { $case: "block", block: {} }],
  ])("%s", (_what, spec, accessType) => {
    expect(call(spec).value?.request.volumeCapability?.accessType).toEqual(accessType as never);
  });

  test("a driver that tells writers on one node apart", () => {
    const mode = call({}, { singleNodeMultiWriter: true }).value?.request.volumeCapability?.accessMode?.mode;
    expect(mode).toBe(AccessMode.SINGLE_NODE_MULTI_WRITER);
  });

  test("the secret of the volume", () => {
    const secret = { name: "key", namespace: "vault" };
    expect(call({ csi: { ...csi, controllerExpandSecretRef: secret } }).value?.secret).toEqual(secret);
  });

  test.each<[string, NonNullable<BoundClaim["volume"]>["spec"], string]>([
    ["no handle", { csi: { ...csi, volumeHandle: "" } }, "empty volume handle"],
    ["no CSI volume", { csi: undefined as never, nfs: { server: "s", path: "/" } }, "volume pv-data is not migrated to CSI"],
    [
      "access modes that exclude each other",
      { accessModes: ["ReadOnlyMany", "ReadWriteOnce"] },
      "failed to get capabilities of volume pv-data with CSI does not support ReadOnlyMany and ReadWriteOnce on the same PersistentVolume",
    ],
    ["no access mode", { accessModes: [] }, "failed to get capabilities of volume pv-data with unsupported AccessMode combination: []"],
    [
      "an in-tree volume that cannot be translated",
      { csi: undefined as never, azureDisk: { diskName: "d", diskURI: "uri", kind: "Dedicated" } },
      "failed to translate persistent volume: ",
    ],
  ])("%s: there can be no call", (_what, spec, error) => {
    expect(call(spec).error).toStartWith(error);
  });

  const zones = (zone: string) => ({ labels: { "topology.kubernetes.io/zone": zone } });
  test.each<[string, NonNullable<BoundClaim["volume"]>["spec"], string, object, object]>([
    ["AWS", { awsElasticBlockStore: { volumeID: "aws://zone/vol-1", fsType: "xfs" } }, "vol-1", mount("xfs"), {}],
    ["GCE", { gcePersistentDisk: { pdName: "disk" } }, "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/disk", mount(""), {}],
    [
      ...(["GCE in a zone", { gcePersistentDisk: { pdName: "disk" } }] as const),
      ...(["projects/UNSPECIFIED/zones/us-east1-a/disks/disk", mount(""), zones("us-east1-a")] as const),
    ],
    [
      ...(["GCE in a region", { gcePersistentDisk: { pdName: "disk" } }] as const),
      ...(["projects/UNSPECIFIED/regions/us-east1/disks/disk", mount(""), zones("us-east1-a__us-east1-b")] as const),
    ],
    ["Cinder", { cinder: { volumeID: "c-1", fsType: "ext3" } }, "c-1", mount("ext3"), {}],
    ["Azure Disk", { azureDisk: { diskName: "d", diskURI: "/disks/d", kind: "Managed", fsType: "ext4" } }, "/disks/d", mount("ext4"), {}],
    [
      ...(["Azure File", { azureFile: { secretName: "azure-storage-account-acc-secret", shareName: "share" } }] as const),
      ...(["rg#acc#share#pv-data#default", mount(""), { annotations: { "kubernetes.io/azure-file-resource-group": "rg" } }] as const),
    ],
    ["vSphere", { vsphereVolume: { volumePath: "[ds] v.vmdk", fsType: "ext4" } }, "[ds] v.vmdk", mount("ext4"), {}],
    ["Portworx", { portworxVolume: { volumeID: "p-1", fsType: "xfs" } }, "p-1", mount("xfs"), {}],
  ])("a volume of an in-tree plugin: %s", (_what, source, volumeId, accessType, metadata) => {
    const { value } = call({ csi: undefined as never, ...source }, {}, metadata);
    expect(value).toMatchObject({ migrated: true, request: { volumeId, volumeCapability: { accessType } } } as never);
  });

  test("the access modes of a volume of GCE's in-tree plugin count as its driver's", () => {
    const source = { csi: undefined as never, gcePersistentDisk: { pdName: "disk" } };
    const { value } = call({ ...source, accessModes: ["ReadOnlyMany", "ReadWriteMany"] });
    expect(value?.request.volumeCapability?.accessMode?.mode).toBe(AccessMode.SINGLE_NODE_WRITER);
  });

  test("the secret of a volume of Portworx's in-tree plugin", () => {
    const annotations = { "openstorage.io/auth-secret-name": "key", "openstorage.io/auth-secret-namespace": "vault" };
    const { value } = call({ csi: undefined as never, portworxVolume: { volumeID: "v" } }, {}, { annotations });
    expect(value?.secret).toEqual({ name: "key", namespace: "vault" });
  });
});
