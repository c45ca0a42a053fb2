import { expect, test } from "bun:test";
import { startWorld } from "../testing/driver-world.ts";
import { named } from "../testing/requests.ts";
import { patchResponse } from "./patch-response.ts";

const snapshotSource = { type: { $case: "snapshot", snapshot: { snapshotId: "s" } } };

test.each<[string, object, Record<string, unknown>, object]>([
  [
    "a field that a message has",
    { snapshot: { readyToUse: true } },
    { snapshot: { ready_to_use: false } },
    { snapshot: { readyToUse: false } },
  ],
  [
    "a field taken away",
    { volume: { volumeId: "v", contentSource: {} } },
    { volume: { content_source: null } },
    { volume: { volumeId: "v" } },
  ],
  [
    "the keys of a map stay as they are",
    { publishContext: { a: "1", b: "2" } },
    { publish_context: { device_path: "/dev/x", a: null } },
    { publishContext: { b: "2", device_path: "/dev/x" } },
  ],
  [
    "a topology",
    { volume: {} },
    { volume: { accessible_topology: [{ segments: { "topology.x/my_zone": "z" } }] } },
    { volume: { accessibleTopology: [{ segments: { "topology.x/my_zone": "z" } }] } },
  ],
  [
    "a number that JSON cannot have",
    { capacityBytes: 1n },
    { capacity_bytes: "9223372036854775807" },
    { capacityBytes: 9223372036854775807n },
  ],
  [
    "a time",
    { snapshot: {} },
    { snapshot: { creation_time: { seconds: 5, nanos: 1 } } },
    { snapshot: { creationTime: { seconds: 5n, nanos: 1 } } },
  ],
  [
    "another source",
    { volume: { contentSource: snapshotSource } },
    { volume: { content_source: { volume: { volume_id: "v" } } } },
    { volume: { contentSource: { type: { $case: "volume", volume: { volumeId: "v" } } } } },
  ],
  [
    "the same source with another id",
    { volume: { contentSource: snapshotSource } },
    { volume: { content_source: { snapshot: { snapshot_id: "t" } } } },
    { volume: { contentSource: { type: { $case: "snapshot", snapshot: { snapshotId: "t" } } } } },
  ],
  ["capabilities", {}, { capabilities: [{ rpc: { type: 1 } }] }, { capabilities: [{ type: { $case: "rpc", rpc: { type: 1 } } }] }],
])("%s", (_, response, patch, expected) => {
  expect(patchResponse(response, patch)).toEqual(expected);
});

test("what was patched arrives", async () => {
  const patch = {
    volume: { capacity_bytes: "9007199254740993", volume_context: { my_key: "x" }, content_source: { snapshot: { snapshot_id: "s" } } },
  };
  await using world = await startWorld({ faults: [{ method: "CreateVolume", action: { patchResponse: patch } }] });
  const { volume } = await world.client.controller.createVolume(named("a"));
  expect(volume).toMatchObject({ capacityBytes: 9007199254740993n, volumeContext: { my_key: "x" }, contentSource: snapshotSource });
});
