import { describe, expect, test } from "bun:test";
import { readFile, stat, writeFile } from "node:fs/promises";
import { recordingLogger, until } from "@csi-sidecars/base/testing";
import { runProgram } from "../run-program.ts";
import { outcome, startWorld } from "../testing/driver-world.ts";
import { block, create, fromSnapshot, mount, named, snap } from "../testing/requests.ts";
import { protoJson } from "./proto-json.ts";

test("a message is seen by the names of its .proto, without what is unset", () => {
  const request = { ...named("a"), ...fromSnapshot("s"), parameters: { camelCase: "1" }, secrets: {}, readonly: false, big: 2n ** 60n };
  expect(protoJson(request)).toEqual({
    name: "a",
    capacity_range: { required_bytes: 1_073_741_824 },
    volume_capabilities: [{ mount: {}, access_mode: { mode: 1 } }],
    volume_content_source: { snapshot: { snapshot_id: "s" } },
    parameters: { camelCase: "1" },
    big: "1152921504606846976",
  });
});

test("calls are recorded in their order, with answers and errors, in memory and in a file", async () => {
  const scratch = await startWorld();
  const file = scratch.path("calls");
  await using world = await startWorld({ callLogFile: file });
  const id = await create(world, { ...named("a"), secrets: { key: "hidden" } });
  await outcome(world.client.controller.controllerGetVolume({ volumeId: "x" }));
  expect(world.driver.calls.since()).toMatchObject([
    {
      sequence: 1,
      method: "CreateVolume",
      request: { name: "a", secrets: "***stripped***" },
      code: 0,
      response: { volume: { volume_id: id } },
    },
    { sequence: 2, method: "ControllerGetVolume", code: 5, message: "volume id x does not exist in the volumes list" },
  ]);
  expect(world.driver.calls.since(1)).toHaveLength(1);
  const lines = (await readFile(file, "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(lines.map(({ method }) => method)).toEqual(["CreateVolume", "ControllerGetVolume"]);
  world.driver.calls.clear();
  expect(world.driver.calls.since()).toEqual([]);
  await scratch[Symbol.asyncDispose]();
});

test("a call log that cannot be written to fails no call", async () => {
  const log = recordingLogger();
  await using world = await startWorld({ log, callLogFile: "/dev/full" });
  expect(await create(world, named("a"))).toBe(world.driver.state.volumes[0]!.id);
  expect(log.lines.map(({ message }) => message)).toContain("Cannot write to the call log");
});

test("a stream whose reader goes away is over", async () => {
  await using world = await startWorld({ snapshotMetadata: true });
  // More than a connection takes at once.
  const size = 5_000n * 4096n;
  const id = await create(world, { ...named("a"), volumeCapabilities: [block()], capacityRange: { requiredBytes: size } });
  await writeFile(`${world.stateDir}/${id}`, Buffer.alloc(Number(size), 1));
  const snapshotId = await snap(world, "s", id);
  for await (const _ of world.client.snapshotMetadata.getMetadataAllocated({ snapshotId, maxResults: 1 })) break;
  const record = await until("it is over", () => world.driver.calls.of("GetMetadataAllocated").find(({ endNs }) => endNs));
  expect(record).toMatchObject({ code: 1, message: "the client is gone" });
});

test("only so many calls are remembered", async () => {
  await using world = await startWorld({ callHistory: 3 });
  for (let i = 0; i < 5; i++) await world.client.identity.probe({});
  expect(world.driver.calls.since().map(({ sequence }) => sequence)).toEqual([3, 4, 5]);
});

test("a list counts as much as it has entries, so that lists asked for again and again do not fill the memory", async () => {
  await using world = await startWorld({ backend: "memory", callHistory: 25 });
  await world.driver.script.backend.seed(10, 0);
  for (let i = 0; i < 3; i++) await world.client.controller.listVolumes({});
  expect(world.driver.calls.since().map(({ sequence }) => sequence)).toEqual([2, 3]);
});

test("a record tells the deadline that a client set and the connection that it used", async () => {
  await using world = await startWorld({ backend: "memory" });
  await world.client.identity.probe({}, { timeoutMs: 5_000 });
  await world.client.identity.getPluginInfo({});
  const [first, second] = world.driver.calls.since();
  // The client tells what is left of it.
  expect(first?.timeoutMs).toBeWithin(4_000, 5_001);
  expect(second?.timeoutMs).toBeUndefined();
  expect(first?.connection).toBe(second!.connection);
});

describe("two calls for one volume at a time", () => {
  test.each(["wait", "aborted"] as const)("%s", async (policy) => {
    const copying = Promise.withResolvers<void>();
    let begun = false;
    await using world = await startWorld({
      async runProgram(program, args) {
        begun = true;
        await copying.promise;
        return runProgram(program, args);
      },
    });
    const volumeId = await create(world, named("a"));
    world.driver.script.pendingPolicy(policy);
    const slow = world.client.controller.createSnapshot({ name: "s", sourceVolumeId: volumeId });
    await until("it is under way", () => begun);
    const deletion = outcome(world.client.controller.deleteVolume({ volumeId }));
    if (policy === "aborted") expect(await deletion).toBe(`Aborted: an operation is already in progress for volume ${volumeId}`);
    else await until("the deletion waits", () => world.driver.calls.of("DeleteVolume").length === 1);
    copying.resolve();
    await slow;
    if (policy === "wait") expect(await deletion).toBe("OK");
  });

  test("are counted: a correct caller makes none", async () => {
    await using world = await startWorld({ faults: [{ method: "NodeStageVolume", times: 1, action: { hang: true } }] });
    const volumeId = await create(world, named("a"));
    const stage = () => world.client.node.nodeStageVolume({ volumeId, stagingTargetPath: "/s", volumeCapability: mount() });
    const first = stage();
    await until("the first is held", () => world.driver.held.sequences.length === 1);
    await stage();
    world.driver.held.releaseAll();
    await first;
    await stage();
    expect(world.driver.report().overlaps).toBe(1);
  });

  test("of different volumes are no offence", async () => {
    await using world = await startWorld();
    await Promise.all(["a", "b", "c"].map((name) => create(world, named(name))));
    expect(world.driver.report()).toMatchObject({ overlaps: 0, calls: { CreateVolume: 3 } });
    expect(world.driver.report().maxConcurrentByMethod.CreateVolume).toBeGreaterThan(1);
  });
});

test("the report tells what was not taken back and what nobody was told of", async () => {
  await using world = await startWorld({
    attach: true,
    faults: [{ method: "CreateVolume", match: { name: "lost" }, phase: "after", action: { error: { code: "Unavailable" } } }],
  });
  const volumeId = await create(world, named("a"));
  await outcome(world.client.controller.createVolume(named("lost")));
  await world.client.controller.controllerPublishVolume({ volumeId, nodeId: "node-1", volumeCapability: mount() });
  const lost = world.driver.state.volumes.find(({ name }) => name === "lost")!.id;
  expect(world.driver.report()).toMatchObject({
    neverAnswered: [lost],
    open: { attached: [{ volumeId, nodeId: "node-1" }], staged: [], published: [] },
    errors: { CreateVolume: { Unavailable: 1 } },
  });
});

test("at verbosity 4 each operation is a line", async () => {
  const log = recordingLogger(4);
  await using world = await startWorld({ log });
  const volumeId = await create(world, named("a"));
  await world.client.controller.deleteVolume({ volumeId });
  const told = log.lines.filter(({ message }) => /^(Saved|Removed)/.test(message));
  expect(told.map(({ message, fields }) => [message, fields])).toEqual([
    ["Saved volume", { id: volumeId, name: "a" }],
    ["Removed volume", { id: volumeId }],
  ]);
});

test("at verbosity 5 each call is a line that Kubernetes' tests understand; below, no request is shown", async () => {
  for (const verbosity of [5, 4]) {
    const log = recordingLogger(verbosity);
    await using world = await startWorld({ log });
    await outcome(
      world.client.node.nodePublishVolume({ volumeId: "x", targetPath: "/t", volumeCapability: mount(), secrets: { k: "s3cret" } }),
    );
    const line = log.lines.find(({ message }) => message.startsWith("gRPCCall: "));
    const others = log.lines.filter((candidate) => candidate !== line);
    expect(JSON.stringify(others.map(({ message, fields, error }) => [message, fields, String(error)]))).not.toContain("s3cret");
    if (verbosity === 4) {
      expect(line).toBeUndefined();
      continue;
    }
    expect(JSON.parse(line!.message.slice("gRPCCall: ".length))).toEqual({
      Method: "/csi.v1.Node/NodePublishVolume",
      Request: { volume_id: "x", target_path: "/t", volume_capability: { mount: {}, access_mode: { mode: 1 } }, secrets: { k: "s3cret" } },
      Response: null,
      Error: "rpc error: code = NotFound desc = volume id x does not exist in the volumes list",
      FullError: { code: 5, message: "volume id x does not exist in the volumes list" },
    });
  }
});
