import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { Code } from "@csi-sidecars/csi";
import { apiGroups, groupVersions } from "../../../packages/csi-proxy/server/api-groups.ts";
import { methodTable } from "../../../packages/csi-proxy/server/testing/method-table.ts";
import { encode, type Field } from "../../../packages/csi-proxy/server/testing/wire-fields.ts";
import { until } from "../../e2e/testing/until.ts";
import type { CallResult, ClientProgram } from "./client-program.ts";
import type { StubFolder } from "./stub-folder.ts";

/** A csi-proxy that runs with its defaults, and a client of it. */
export interface ClientWorld {
  readonly client: ClientProgram;
  readonly endpoint: (group: string, version: string) => string;
  /** What stands in for PowerShell. */
  readonly stub: StubFolder;
  /** The folder in which paths are allowed, as the node has it. */
  readonly kubeletPath: string;
  /** Where the test finds a path of the node. */
  readonly onDisk: (path: string) => string;
}

/** What every client sees, whatever it is written in and however it connects. */
export function testClient(world: () => ClientWorld): void {
  const call = (group: string, version: string, method: string, request: readonly Field[] = [], timeoutMs?: number) =>
    world().client.call(world().endpoint(group, version), methodOf(group, version, method), encode(request), timeoutMs);

  test("each endpoint serves its own service alone", async () => {
    const { client, endpoint } = world();
    for (const { group, version } of groupVersions) {
      const [own, other] = [`${version}.${services.get(group)}`, `${version}.${services.get(group === "disk" ? "smb" : "disk")}`];
      const calls = [own, other].map((service) => client.call(endpoint(group, version), `/${service}/Nothing`, encode([])));
      expect((await Promise.all(calls)).map(({ code, message }) => [code, message])).toEqual([
        [Code.Unimplemented, `unknown method Nothing for service ${own}`],
        [Code.Unimplemented, `unknown service ${other}`],
      ]);
    }
  });

  test("all 139 methods are there, and understand their requests", async () => {
    const results = await Promise.all(
      methodTable.map(async ({ group, version, method, request }) => ({
        method: methodOf(group, version, method),
        ...(await call(group, version, method, request)),
      })),
    );
    expect(results).toHaveLength(139);
    // What stands in for PowerShell answers with no data, which most operations take for a failure: that is Unknown.
    const unexpected = results.filter(({ code }) => code !== Code.OK && code !== Code.Unknown);
    expect(unexpected).toEqual([]);
  });

  test("maps, large numbers and texts arrive as they are", async () => {
    const disk = { number: 4294967295, path: "p", serialNumber: " é\u0000", partitionStyle: 2, isOffline: false };
    const location = "Integrated : Adapter 1 : Bus 2 : Target 3 : LUN 4";
    world().stub.answer("disk.list", { ok: true, data: [{ ...disk, size: "9007199254740993", location }] });
    const stats = await call("disk", "v1", "GetDiskStats", [["disk_number:1 u32", 4294967295]]);
    expect(stats).toEqual(answered([["total_bytes:1 i64", 9007199254740993n]]));
    const place: readonly Field[] = [
      ["Adapter:1 s", "1"],
      ["Bus:2 s", "2"],
      ["Target:3 s", "3"],
      ["LUNID:4 s", "4"],
    ];
    expect(await call("disk", "v1", "ListDiskLocations")).toEqual(
      answered([["disk_locations:1 map<u32,DiskLocation>", new Map([[4294967295, place]])]]),
    );
    expect(await call("disk", "v1beta2", "ListDiskLocations")).toEqual(
      answered([["disk_locations:1 map<s,DiskLocation>", new Map([["4294967295", place]])]]),
    );
  });

  test("files are made, found and removed; outside of the allowed folders nothing happens", async () => {
    const { kubeletPath, onDisk } = world();
    const path = `${kubeletPath}\\plugins\\größer`;
    expect(await call("filesystem", "v1", "Mkdir", [["path:1 s", path]])).toEqual(answered([]));
    expect(existsSync(onDisk(path))).toBe(true);
    expect(await call("filesystem", "v1beta1", "PathExists", [["path:1 s", path]])).toEqual(answered([["exists:2 b", true]]));
    expect(await call("filesystem", "v1", "Rmdir", [["path:1 s", path]])).toEqual(answered([]));
    expect(existsSync(onDisk(path))).toBe(false);

    const outside = `${kubeletPath}-größer`;
    expect(await call("filesystem", "v1", "Mkdir", [["path:1 s", outside]])).toMatchObject({
      code: Code.Unknown,
      message: `path: ${outside} is not within the working directories: [${kubeletPath}]`,
    });
    expect(existsSync(onDisk(outside))).toBe(false);
  });

  test("an error of PowerShell is Unknown with its text", async () => {
    world().stub.answer("disk.rescan", { ok: false, error: { message: "Zugriff verweigert:\ngrößer 100%", category: "PermissionDenied" } });
    const { code, message } = await call("disk", "v1", "Rescan");
    expect(code).toBe(Code.Unknown);
    expect(message).toContain("Zugriff verweigert:\ngrößer 100%");
    world().stub.answer("disk.rescan", { ok: true, data: null });
  });

  test("a hundred calls at once are answered", async () => {
    const results = await Promise.all(
      Array.from({ length: 100 }, () => call("filesystem", "v1", "PathExists", [["path:1 s", world().kubeletPath]])),
    );
    expect(results).toEqual(results.map(() => answered([["exists:1 b", true]])));
  });

  test("a call whose deadline passes ends, and its operation finishes", async () => {
    const { stub } = world();
    const before = stub.ended;
    stub.shut();
    expect((await call("disk", "v1", "Rescan", [], 700)).code).toBe(Code.DeadlineExceeded);
    expect(stub.ended).toBe(before);
    stub.open();
    await until("the operation ends", () => stub.ended === before + 1);
  });

  test("what is too large is refused, and the next call is served", async () => {
    const tooLarge = await call("filesystem", "v1", "Mkdir", [["path:1 s", "x".repeat(4 * 1024 * 1024 + 1)]]);
    expect(tooLarge.code).toBe(Code.ResourceExhausted);
    expect((await call("filesystem", "v1", "PathExists", [["path:1 s", world().kubeletPath]])).code).toBe(Code.OK);
  });
}

const services = new Map<string, string>(apiGroups.map(({ group, service }) => [group, service]));

const methodOf = (group: string, version: string, method: string) => `/${version}.${services.get(group)}/${method}`;

const answered = (fields: readonly Field[]): CallResult => ({ code: Code.OK, message: "", response: encode(fields) });
