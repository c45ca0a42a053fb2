import { describe, expect, test } from "bun:test";
import type { VolumeHostApi } from "./host-api.ts";
import { Volume } from "./volume.ts";

/** A host that answers one question, as a driver's own would. */
const hostWith = (host: Partial<VolumeHostApi>) => new Volume(host as VolumeHostApi);

describe("Volume over a host of one's own", () => {
  test.each([[["id1", "id2"]], [["id1"]], [[]]])("lists %p as the host does", async (volumeIds) => {
    const volume = hostWith({ listVolumesOnDisk: async () => volumeIds });
    expect(await volume.listVolumesOnDisk({ diskNumber: 1, partitionNumber: 0 })).toEqual({ volumeIds });
  });

  test("passes an error of the host through as it is", async () => {
    const broken = new Error("host error");
    const volume = hostWith({ listVolumesOnDisk: () => Promise.reject(broken) });
    expect(await volume.listVolumesOnDisk({ diskNumber: 1 }).catch((error) => error)).toBe(broken);
  });

  test("changes one volume one call at a time, and others meanwhile", async () => {
    const running: string[] = [];
    const gate = Promise.withResolvers<void>();
    const held = async (volumeId: string) => {
      running.push(volumeId);
      await gate.promise;
    };
    const volume = hostWith({
      formatVolume: held,
      mountVolume: held,
      unmountVolume: held,
      resizeVolume: async (id) => held(id).then(() => true),
    });
    const calls = [
      volume.formatVolume({ volumeId: "a" }),
      volume.mountVolume({ volumeId: "A", targetPath: "x" }),
      volume.unmountVolume({ volumeId: "a", targetPath: "x" }),
      volume.resizeVolume({ volumeId: "a", sizeBytes: 1n }),
      volume.formatVolume({ volumeId: "b" }),
    ];
    await volume.listVolumesOnDisk({ diskNumber: 1 }).catch(() => {});
    expect(running).toEqual(["a", "b"]);
    gate.resolve();
    await Promise.all(calls);
    expect(running).toEqual(["a", "b", "A", "a", "a"]);
  });
});
