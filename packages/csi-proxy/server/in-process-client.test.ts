import { describe, expect, test } from "bun:test";
import { type ApiGroupName, groupVersions } from "./api-groups.ts";
import { inProcessClient } from "./in-process-client.ts";
import { methodTable } from "./testing/method-table.ts";
import { recordedHandlers } from "./testing/recorded-handlers.ts";

type AnyClient = Readonly<Record<string, (request?: object, options?: object) => Promise<object>>>;
const anyClient = (group: ApiGroupName, version: string) =>
  inProcessClient(group, version as never, recordedHandlers().handlers) as unknown as AnyClient;

test.each(groupVersions)("$group $version has the methods of its .proto file", ({ group, version }) => {
  const client = anyClient(group, version);
  const declared = methodTable.filter((row) => row.group === group && row.version === version).map(({ method }) => method);
  expect(Object.keys(client)).toEqual(expect.arrayContaining(declared));
});

test("messages have the declared fields, and 64-bit numbers are exact", async () => {
  const { calls, handlers } = recordedHandlers();
  const signal = new AbortController().signal;
  expect(await inProcessClient("disk", "v1", handlers).GetDiskStats({ disk_number: 3 }, { signal })).toEqual({
    total_bytes: 2n ** 53n + 1n,
  });
  await inProcessClient("volume", "v1beta1", handlers).ResizeVolume({ volume_id: "v", size: -1n });
  await inProcessClient("iscsi", "v1alpha2", handlers).SetMutualChapSecret({ MutualChapSecret: "s" });
  expect(calls).toEqual([
    ["getDiskStats", { diskNumber: 3 }],
    ["resizeVolume", { volumeId: "v", sizeBytes: -1n }],
    ["setMutualChapSecret", { mutualChapSecret: "s" }],
  ]);
});

test("signals and time limits reach the handler", async () => {
  const { handlers } = recordedHandlers();
  const options = { signal: new AbortController().signal, timeoutMs: 5 };
  const seen: unknown[] = [];
  const disk = { ...handlers.disk, rescan: async (_: object, given?: object) => seen.push(given) as unknown as object };
  await inProcessClient("disk", "v1beta1", { disk }).Rescan({}, options);
  expect(seen).toEqual([options]);
});

describe("methods of later versions", () => {
  test.each([
    ["disk", "v1alpha1", "ListDiskIDs", "v1beta1"],
    ["disk", "v1alpha1", "DiskStats", "v1beta1"],
    ["disk", "v1alpha1", "SetAttachState", "v1beta2"],
    ["disk", "v1beta1", "SetAttachState", "v1beta2"],
    ["disk", "v1beta1", "GetAttachState", "v1beta2"],
    ["volume", "v1alpha1", "VolumeStats", "v1beta1"],
    ["volume", "v1alpha1", "GetVolumeDiskNumber", "v1beta1"],
    ["volume", "v1alpha1", "GetVolumeIDFromMount", "v1beta1"],
    ["iscsi", "v1alpha1", "SetMutualChapSecret", "v1alpha2"],
  ] as const)("%s %s has no %s yet and says so", async (group, version, method, minimum) => {
    const call = anyClient(group, version)[method]!();
    await expect(call).rejects.toThrow(`${method} requires CSI-Proxy API version ${minimum} or greater`);
  });

  test("are not invented where the method was replaced", () => {
    expect(Object.keys(anyClient("disk", "v1"))).not.toContain("DiskStats");
  });
});

test("a version that was never released is refused", () => {
  expect(() => anyClient("disk", "v3")).toThrow("csi-proxy has no API disk v3");
  expect(() => anyClient("constructor" as ApiGroupName, "v1")).toThrow("csi-proxy has no API constructor v1");
});
