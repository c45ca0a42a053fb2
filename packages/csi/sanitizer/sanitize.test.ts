import { describe, expect, test } from "bun:test";
import { inspect } from "node:util";
import * as csi from "../gen/csi.ts";
import {
  CreateVolumeRequest,
  DeleteVolumeRequest,
  GetCapacityResponse,
  ProbeResponse,
  Snapshot,
  Topology,
  VolumeCapability,
  VolumeCapability_AccessMode,
} from "../gen/csi.ts";
import { descriptors } from "../gen/descriptors.ts";
import { PluginInfo } from "../gen/pluginregistration.ts";
import { fullCreateVolumeRequest } from "../testing/full-create-volume-request.ts";
import { sanitize } from "./sanitize.ts";
import { secretsIn } from "./secrets-in.ts";

// What the Go sidecars log for the same messages.
describe("a message is logged as upstream logs it", () => {
  test.each([
    [
      "CreateVolumeRequest with every field",
      sanitize(fullCreateVolumeRequest, CreateVolumeRequest),
      '{"accessibility_requirements":{"preferred":[{"segments":{"zone":"b"}}],"requisite":[{"segments":{"zone":"a"}},{"segments":{"zone":"b"}}]},' +
        '"capacity_range":{"limit_bytes":9223372036854775807,"required_bytes":9007199254740993},"mutable_parameters":{"iops":"3000"},"name":"pvc-1",' +
        '"parameters":{"type":"fast"},"secrets":"***stripped***","volume_capabilities":[{"access_mode":{"mode":"SINGLE_NODE_MULTI_WRITER"},' +
        '"mount":{"fs_type":"ext4","mount_flags":["noatime","ro"],"volume_mount_group":"2000"}},{"block":{}}],' +
        '"volume_content_source":{"snapshot":{"snapshot_id":"snap-1"}}}',
    ],
    ["nothing set", sanitize(CreateVolumeRequest.create(), CreateVolumeRequest), "{}"],
    [
      "sub-messages without content",
      sanitize(CreateVolumeRequest.create({ volumeContentSource: {}, accessibilityRequirements: {} }), CreateVolumeRequest),
      '{"accessibility_requirements":{},"volume_content_source":{}}',
    ],
    [
      "a time",
      sanitize(Snapshot.create({ creationTime: { seconds: 1_700_000_000n, nanos: 123_456_789 }, readyToUse: true }), Snapshot),
      '{"creation_time":{"nanos":123456789,"seconds":1700000000},"ready_to_use":true}',
    ],
    ["time zero", sanitize(Snapshot.create({ creationTime: {} }), Snapshot), '{"creation_time":{}}'],
    ["wrapper absent", sanitize(ProbeResponse.create(), ProbeResponse), "{}"],
    ["wrapper false", sanitize(ProbeResponse.create({ ready: false }), ProbeResponse), '{"ready":{}}'],
    ["wrapper true", sanitize(ProbeResponse.create({ ready: true }), ProbeResponse), '{"ready":{"value":true}}'],
    [
      "wrapped and negative int64",
      sanitize(
        GetCapacityResponse.create({ availableCapacity: -1n, maximumVolumeSize: 2n ** 63n - 1n, minimumVolumeSize: 0n }),
        GetCapacityResponse,
      ),
      '{"available_capacity":-1,"maximum_volume_size":{"value":9223372036854775807},"minimum_volume_size":{}}',
    ],
    [
      "the empty arm of a oneof",
      sanitize(VolumeCapability.create({ accessType: { $case: "mount", mount: {} } }), VolumeCapability),
      '{"mount":{}}',
    ],
    [
      "an unknown enum number",
      sanitize(VolumeCapability_AccessMode.decode(Buffer.from("08b960", "hex")), VolumeCapability_AccessMode),
      '{"mode":12345}',
    ],
    [
      "characters that Go escapes",
      sanitize(DeleteVolumeRequest.create({ volumeId: '<a href="x">&\b\f\n\t\u0001\u2028\u2029é😀\\' }), DeleteVolumeRequest),
      '{"volume_id":"\\u003ca href=\\"x\\"\\u003e\\u0026\\b\\f\\n\\t\\u0001\\u2028\\u2029é😀\\\\"}',
    ],
    [
      "the order of keys is that of their bytes",
      sanitize(Topology.create({ segments: { "😀": "2", "\uffee": "1", b: "", a: "4", "": "5" } }), Topology),
      '{"segments":{"":"5","a":"4","b":"","\uffee":"1","😀":"2"}}',
    ],
    ["no secrets given", sanitize(DeleteVolumeRequest.create({ volumeId: "v", secrets: {} }), DeleteVolumeRequest), '{"volume_id":"v"}'],
    ["a type by its name", sanitize({ volumeId: "v" }, "csi.v1.DeleteVolumeRequest"), '{"volume_id":"v"}'],
    ["kubelet's protocol", sanitize(PluginInfo.create({ supportedVersions: ["1.0.0"] }), PluginInfo), '{"supported_versions":["1.0.0"]}'],
  ])("%s", (_, sanitized, expected) => expect(`${sanitized}`).toBe(expected));
});

describe("what is no message is plain JSON", () => {
  test.each([
    [null, "null"],
    [undefined, "null"],
    [1, "1"],
    [2n ** 63n, "9223372036854775808"],
    ["hello <world>", '"hello \\u003cworld\\u003e"'],
    [true, "true"],
    [false, "false"],
  ])("%p", (value, expected) => expect(String(sanitize(value))).toBe(expected));

  test("an absent message", () => expect(String(sanitize(undefined, ProbeResponse))).toBe("null"));
});

describe("what cannot be rendered says so and shows nothing", () => {
  test.each([
    ["an unknown type", sanitize({ password: "hunter2" }, "csi.v1.Nothing"), "<<json.Marshal csi.v1.Nothing: unknown message type>>"],
    [
      "a list that is none",
      sanitize({ volumeCapabilities: "hunter2" }, CreateVolumeRequest),
      "<<json.Marshal csi.v1.CreateVolumeRequest: expected a list>>",
    ],
    // @ts-expect-error a message without its type does not compile, but could reach here from JavaScript
    ["a message without its type", sanitize(fullCreateVolumeRequest), "<<json.Marshal object: a message needs its type>>"],
  ])("%s", (_, sanitized, expected) => expect(String(sanitized)).toBe(expected));
});

describe("the wrapper", () => {
  test("shows nothing of the message unless made a string", () => {
    const sanitized = sanitize(fullCreateVolumeRequest, CreateVolumeRequest);
    const fields = { request: sanitized };
    for (const dump of [
      JSON.stringify(fields),
      inspect(fields, { showHidden: true, depth: 9 }),
      Bun.inspect(fields, { depth: 9 }),
      Object.keys(sanitized).join(),
    ]) {
      for (const word of ["hunter2", "password", "pvc-1"]) expect(dump).not.toContain(word);
    }
  });

  test("does nothing before it is made a string", () => {
    let reads = 0;
    const message = {
      get volumeId() {
        return `read ${++reads}`;
      },
    };
    const sanitized = sanitize(message, DeleteVolumeRequest);
    expect(reads).toBe(0);
    expect(String(sanitized)).toBe('{"volume_id":"read 1"}');
  });

  test("leaves the message as it was", () => {
    const before = structuredClone(fullCreateVolumeRequest);
    String(sanitize(fullCreateVolumeRequest, CreateVolumeRequest));
    expect(fullCreateVolumeRequest).toEqual(before);
    expect(fullCreateVolumeRequest.secrets).toEqual({ password: "hunter2" });
  });
});

const services = [csi.ControllerDefinition, csi.GroupControllerDefinition, csi.SnapshotMetadataDefinition, csi.NodeDefinition];
const requests = services
  .flatMap((service) => Object.values(service.methods).map((method) => method.requestType))
  .filter((type) => descriptors.messages[type.$type]?.some((field) => field.name === "secrets"));

describe("no request shows its secrets", () => {
  test("there are 22 requests with secrets", () => expect(requests).toHaveLength(22));

  test.each(requests)("$$type", (type) => {
    const request = { ...type.create(), secrets: { "secret-name": "secret-value", other: "987" } };
    expect(String(sanitize(request, type))).toBe('{"secrets":"***stripped***"}');
    expect(secretsIn(request, type)).toEqual(["secret-value", "987"]);
  });
});

describe("the start of a text", () => {
  test("is the same as that of the whole text, at every length", () => {
    const request = sanitize({ volumeId: '<é😀"\n', secrets: { password: "hunter2" } }, "csi.v1.DeleteVolumeRequest");
    const whole = String(request);
    for (let length = 0; length <= whole.length + 1; length++) expect(request.start(length)).toBe(whole.slice(0, length));
  });

  test("is rendered without looking at the entries behind it", () => {
    let read = 0;
    const entry = () => ({
      get volume() {
        read++;
        return { volumeId: "volume" };
      },
    });
    const response = sanitize({ entries: Array.from({ length: 1_000 }, entry) }, "csi.v1.ListVolumesResponse");
    expect(response.start(100)).toHaveLength(100);
    expect(read).toBeLessThan(10);
  });
});
