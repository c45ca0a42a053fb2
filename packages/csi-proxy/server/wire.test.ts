import { describe, expect, test } from "bun:test";
import { Channel, Code, serviceClient } from "@csi-sidecars/csi";
import { CsiProxyError } from "../csi-proxy-error.ts";
import { groupVersions } from "./api-groups.ts";
import { services } from "./services.ts";
import { methodTable } from "./testing/method-table.ts";
import { recordedHandlers } from "./testing/recorded-handlers.ts";
import { failure, serveBytes } from "./testing/serve-bytes.ts";
import { encode } from "./testing/wire-fields.ts";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

describe("bytes of every method, field by field", () => {
  test.each(groupVersions)("$group $version", async ({ group, version }) => {
    const { calls, handlers } = recordedHandlers();
    await using served = await serveBytes(group, version, handlers);
    const rows = methodTable.filter((row) => row.group === group && row.version === version);
    for (const { method, request, response, asks } of rows) {
      const answer = await served.call(method, encode(request));
      expect({ method, answer: hex(answer), calls: calls.splice(0) }).toEqual({ method, answer: hex(encode(response)), calls: [asks] });
    }
    expect(rows.map(({ method }) => method).toSorted()).toEqual([...served.methods].toSorted());
  });
});

describe("what is left out on the wire is a real value", () => {
  test("disk 0, not forced, size 0", async () => {
    const { calls, handlers } = recordedHandlers();
    await using disk = await serveBytes("disk", "v1", handlers);
    await using filesystem = await serveBytes("filesystem", "v1", handlers);
    await using volume = await serveBytes("volume", "v1", handlers);
    await disk.call("SetDiskState", Buffer.alloc(0));
    await filesystem.call("Rmdir", encode([["path:1 s", "C:\\var\\lib\\kubelet\\x"]]));
    await volume.call("ResizeVolume", encode([["volume_id:1 s", "v"]]));
    expect(calls).toEqual([
      ["setDiskState", { diskNumber: 0, isOnline: false }],
      ["rmdir", { path: "C:\\var\\lib\\kubelet\\x", force: false }],
      ["resizeVolume", { volumeId: "v", sizeBytes: 0n }],
    ]);
  });

  test("a number that no enum has reaches the handler", async () => {
    const { calls, handlers } = recordedHandlers();
    await using served = await serveBytes("iscsi", "v1alpha2", handlers);
    await served.call("ConnectTarget", encode([["auth_type:3 enum AuthenticationType", 7]]));
    expect(calls).toEqual([["connectTarget", { iqn: "", authType: 7, chapUsername: "", chapSecret: "" }]]);
  });
});

test("the generated services make clients of a server as well", async () => {
  await using served = await serveBytes("disk", "v1", recordedHandlers().handlers);
  const channel = new Channel({ target: { kind: "unix", path: served.path } });
  const disk = serviceClient(services.disk.v1, channel);
  const stats = await disk.getDiskStats({ disk_number: 1 }, { timeoutMs: 10_000, waitForReady: true }).finally(() => channel.close());
  expect(stats).toEqual({ total_bytes: 2n ** 53n + 1n });
});

describe("failures have a status", () => {
  test.each([
    ["an error of the library", new CsiProxyError("NotFound", "disk 7: not found\nédition"), "disk 7: not found\nédition"],
    ["any other error", new TypeError("undefined is not a function"), "undefined is not a function"],
  ])("%s is Unknown with its text", async (_, error, text) => {
    const { handlers } = recordedHandlers({ getDiskStats: () => Promise.reject(error) });
    await using served = await serveBytes("disk", "v1", handlers);
    expect(await failure(served.call("GetDiskStats", Buffer.alloc(0)))).toEqual([Code.Unknown, text]);
    expect(hex(await served.call("Rescan", Buffer.alloc(0)))).toBe("");
  });

  test.each([
    ["a cut varint", "08ff"],
    ["a length beyond the end", "0a05ff"],
    ["a field number 0", "0001"],
    ["an end of a group that never began", "0c"],
    ["text that is not UTF-8", "0a02c328"],
  ])("%s is Internal, and reaches no handler", async (_, bytes) => {
    const { calls, handlers } = recordedHandlers();
    await using served = await serveBytes("volume", "v1beta1", handlers);
    const [code, text] = await failure(served.call("ResizeVolume", Buffer.from(bytes, "hex")));
    expect([code, calls]).toEqual([Code.Internal, []]);
    expect(text).toStartWith("grpc: error unmarshalling request: ");
  });

  test("a path outside the working directories is Unknown", async () => {
    const { calls, handlers } = recordedHandlers();
    await using served = await serveBytes("filesystem", "v1", handlers);
    expect(await failure(served.call("Mkdir", encode([["path:1 s", "C:\\foo\\bar"]])))).toEqual([
      Code.Unknown,
      "path: C:\\foo\\bar is not within the working directories: [C:\\var\\lib\\kubelet]",
    ]);
    expect(calls).toEqual([]);
  });
});
