import { describe, expect, test } from "bun:test";
import {
  CapacityRange,
  ControllerServiceCapability,
  ControllerServiceCapability_RPC,
  DeleteVolumeRequest,
  PluginCapability,
  ProbeResponse,
  Snapshot,
  VolumeCapability,
} from "../gen/csi.ts";

const hex = (text: string): Uint8Array => Buffer.from(text, "hex");

describe("64-bit numbers", () => {
  test.each([0n, -1n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)])("%p survives", (requiredBytes) => {
    const bytes = CapacityRange.encode({ requiredBytes, limitBytes: 0n }).finish();
    expect(CapacityRange.decode(bytes)).toEqual({ requiredBytes, limitBytes: 0n });
  });

  test.each([2n ** 63n, -(2n ** 63n) - 1n])("%p is refused instead of sent as another number", (requiredBytes) => {
    expect(() => CapacityRange.encode({ requiredBytes, limitBytes: 0n })).toThrow();
  });

  test("a snapshot's time keeps its nanoseconds", () => {
    const creationTime = { seconds: 253_402_300_799n, nanos: 999_999_999 };
    expect(Snapshot.decode(Snapshot.encode(Snapshot.create({ creationTime })).finish()).creationTime).toEqual(creationTime);
  });
});

describe("presence", () => {
  test.each([undefined, false, true])("ready %p", (ready) => {
    expect(ProbeResponse.decode(ProbeResponse.encode({ ready }).finish()).ready).toBe(ready);
  });

  test("an empty mount is not the same as no access type", () => {
    const mount = VolumeCapability.decode(
      VolumeCapability.encode(VolumeCapability.create({ accessType: { $case: "mount", mount: {} } })).finish(),
    );
    expect(mount.accessType).toEqual({ $case: "mount", mount: { fsType: "", mountFlags: [], volumeMountGroup: "" } });
    expect(VolumeCapability.decode(hex("")).accessType).toBeUndefined();
  });

  test("map entries without key or value are the empty string", () => {
    expect(DeleteVolumeRequest.decode(hex("12030a0161" + "1200")).secrets).toEqual({ a: "", "": "" });
  });
});

describe("drivers of other versions", () => {
  test("a capability number of a newer driver is kept as a number", () => {
    const capability = ControllerServiceCapability.decode(hex("0a0308e707"));
    expect<number | undefined>(capability.type?.rpc.type).toBe(999);
    expect(Buffer.from(ControllerServiceCapability.encode(capability).finish()).toString("hex")).toBe("0a0308e707");
  });

  test("an unknown arm of a oneof leaves it unset", () => {
    expect(PluginCapability.decode(hex("1a020801")).type).toBeUndefined();
  });

  test("unknown fields of every wire type are skipped", () => {
    const unknown = ["a0067b", "a1060102030405060708", "a2060548656c6c6f", "a506ffffffff"].join("");
    expect(DeleteVolumeRequest.decode(hex(`${unknown}0a0176${unknown}`))).toEqual({ volumeId: "v", secrets: {} });
  });

  test("a field that has another wire type than ours is skipped", () => {
    expect(ControllerServiceCapability_RPC.decode(hex("0a0101")).type).toBe(0);
  });

  test("a truncated message is an error", () => {
    expect(() => DeleteVolumeRequest.decode(hex("0a0576"))).toThrow();
  });
});
