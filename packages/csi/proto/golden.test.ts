import { describe, expect, test } from "bun:test";
import {
  BlockMetadataType,
  CreateVolumeRequest,
  GetCapacityResponse,
  GetMetadataDeltaResponse,
  ListVolumesResponse,
  ProbeResponse,
  Snapshot,
  VolumeCapability,
  VolumeCapability_AccessMode_Mode,
} from "../gen/csi.ts";
import { PluginInfo, RegistrationStatus } from "../gen/pluginregistration.ts";
import { fullCreateVolumeRequest } from "../testing/full-create-volume-request.ts";

// The bytes of CSI messages were written by the Go implementation of the published interface, with fields brought into the order of
// their numbers; those of the registration protocol by hand. Spaces separate top-level fields.
const vectors = [
  vector("CreateVolumeRequest with every field", CreateVolumeRequest, {
    message: fullCreateVolumeRequest,
    bytes:
      "0a057076632d31 121308818080808080801010ffffffffffffffff7f " +
      "1a1f12190a046578743412076e6f6174696d651202726f1a04323030301a020807 1a020a00 " +
      "220c0a0474797065120466617374 2a130a0870617373776f7264120768756e74657232 320a0a080a06736e61702d31 " +
      "3a270a0b0a090a047a6f6e651201610a0b0a090a047a6f6e65120162120b0a090a047a6f6e65120162 420c0a04696f7073120433303030",
  }),
  vector("Snapshot with every field", Snapshot, {
    message: Snapshot.create({
      sizeBytes: 10n << 30n,
      snapshotId: "snap-1",
      sourceVolumeId: "vol-1",
      creationTime: { seconds: 1_700_000_000n, nanos: 123_456_789 },
      readyToUse: true,
      groupSnapshotId: "group-1",
    }),
    bytes: "088080808028 1206736e61702d31 1a05766f6c2d31 220b0880e2cfaa0610959aef3a 2801 320767726f75702d31",
  }),
  vector("ListVolumesResponse with two entries and a token", ListVolumesResponse, {
    message: ListVolumesResponse.create({
      entries: [
        {
          volume: {
            capacityBytes: 1n << 30n,
            volumeId: "vol-1",
            volumeContext: { pool: "ssd" },
            contentSource: { type: { $case: "volume", volume: { volumeId: "vol-0" } } },
            accessibleTopology: [{ segments: { zone: "a" } }],
          },
          status: { publishedNodeIds: ["node-1", "node-2"], volumeCondition: { abnormal: true, message: "degraded" } },
        },
        { volume: { volumeId: "vol-2" } },
      ],
      nextToken: "page-2",
    }),
    bytes:
      "0a540a320880808080041205766f6c2d311a0b0a04706f6f6c1203737364220912070a05766f6c2d302a0b0a090a047a6f6e65120161" +
      "121e0a066e6f64652d310a066e6f64652d32120c080112086465677261646564 0a090a071205766f6c2d32 1206706167652d32",
  }),
  vector("GetMetadataDeltaResponse", GetMetadataDeltaResponse, {
    message: GetMetadataDeltaResponse.create({
      blockMetadataType: BlockMetadataType.VARIABLE_LENGTH,
      volumeCapacityBytes: 1n << 40n,
      blockMetadata: [
        { byteOffset: 0n, sizeBytes: 4096n },
        { byteOffset: 1n << 20n, sizeBytes: 65536n },
      ],
    }),
    bytes: "0802 10808080808020 1a03108020 1a080880804010808004",
  }),
  vector("ready absent", ProbeResponse, { message: ProbeResponse.create(), bytes: "" }),
  vector("ready false", ProbeResponse, { message: ProbeResponse.create({ ready: false }), bytes: "0a00" }),
  vector("ready true", ProbeResponse, { message: ProbeResponse.create({ ready: true }), bytes: "0a020801" }),
  vector("wrapped and negative int64", GetCapacityResponse, {
    message: GetCapacityResponse.create({ availableCapacity: -1n, maximumVolumeSize: 2n ** 63n - 1n, minimumVolumeSize: 0n }),
    bytes: "08ffffffffffffffffff01 120a08ffffffffffffffff7f 1a00",
  }),
  vector("no access type", VolumeCapability, { message: VolumeCapability.create(), bytes: "" }),
  vector("empty mount", VolumeCapability, {
    message: VolumeCapability.create({ accessType: { $case: "mount", mount: {} } }),
    bytes: "1200",
  }),
  vector("PluginInfo", PluginInfo, {
    message: PluginInfo.create({ type: "CSIPlugin", name: "d", endpoint: "/s", supportedVersions: ["1.0.0"] }),
    bytes: "0a09435349506c7567696e 120164 1a022f73 2205312e302e30",
  }),
  vector("RegistrationStatus", RegistrationStatus, {
    message: RegistrationStatus.create({ pluginRegistered: true, error: "x" }),
    bytes: "0801 120178",
  }),
];

describe("bytes on the wire", () => {
  test.each(vectors)("$name", ({ encodes, decodes }) => {
    encodes();
    decodes();
  });

  test("fields may come in any order: Go writes oneofs last", () => {
    const bytes = Buffer.from("1a02080712190a046578743412076e6f6174696d651202726f1a0432303030", "hex");
    expect(VolumeCapability.decode(bytes)).toEqual(
      VolumeCapability.create({
        accessType: { $case: "mount", mount: { fsType: "ext4", mountFlags: ["noatime", "ro"], volumeMountGroup: "2000" } },
        accessMode: { mode: VolumeCapability_AccessMode_Mode.SINGLE_NODE_MULTI_WRITER },
      }),
    );
  });
});

interface Codec<T> {
  encode(message: T): { finish(): Uint8Array };
  decode(bytes: Uint8Array): T;
}

function vector<T>(name: string, codec: Codec<T>, { message, bytes }: { message: T; bytes: string }) {
  const hex = bytes.replaceAll(" ", "");
  return {
    name,
    encodes: () => expect(Buffer.from(codec.encode(message).finish()).toString("hex")).toBe(hex),
    decodes: () => expect(codec.decode(Buffer.from(hex, "hex"))).toEqual(message),
  };
}
