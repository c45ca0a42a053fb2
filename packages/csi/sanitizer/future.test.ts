import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFileRegistry, type FileRegistry, fromJson, type JsonValue, toBinary } from "@bufbuild/protobuf";
import { describeMessages } from "../../../tools/generate-protocol/describe-messages.ts";
import { compileProtos } from "../../../tools/generate-protocol/render-protocol.ts";
import { CreateVolumeRequest } from "../gen/csi.ts";
import type { Descriptors } from "./descriptors.ts";
import { sanitize } from "./sanitize.ts";
import { secretsIn } from "./secrets-in.ts";

// A CreateVolumeRequest as a later release might have it, with secrets in all kinds of places.
const futureProto = `
  syntax = "proto3";
  package future;
  import "csi.proto";
  message CreateVolumeRequest {
    string name = 1;
    csi.v1.CapacityRange capacity_range = 2;
    repeated VolumeCapability volume_capabilities = 3;
    map<string, string> renamed_secrets = 5 [(csi.v1.csi_secret) = true];
    VolumeContentSource volume_content_source = 6;
    int32 secret_int = 100 [(csi.v1.csi_secret) = true];
    map<int64, VolumeCapability> capability_map = 101;
    bytes token = 102;
    repeated Level levels = 103;
    bytes secret_bytes = 104 [(csi.v1.csi_secret) = true];
  }
  message VolumeCapability {
    oneof access_type { csi.v1.VolumeCapability.MountVolume mount = 2; string secret_device = 100 [(csi.v1.csi_secret) = true]; }
    string list_secret = 99 [(csi.v1.csi_secret) = true];
  }
  message VolumeContentSource {
    oneof type { VolumeSource volume = 2; }
    VolumeSource nested_secret = 100 [(csi.v1.csi_secret) = true];
    message VolumeSource { string volume_id = 1; string oneof_secret = 100 [(csi.v1.csi_secret) = true]; }
  }
  enum Level { UNKNOWN = 0; HIGH = 1; }
`;

const mount = { fsType: "ext4", mountFlags: [], volumeMountGroup: "" };
const message = {
  name: "foo",
  capacityRange: { requiredBytes: 1024n, limitBytes: 0n },
  volumeCapabilities: [
    { accessType: { $case: "mount", mount }, listSecret: "knock" },
    { accessType: { $case: "secretDevice", secretDevice: "who's there" }, listSecret: "" },
  ],
  renamedSecrets: { "secret-abc": "123", "secret-xyz": "987" },
  volumeContentSource: {
    type: { $case: "volume", volume: { volumeId: "abc", oneofSecret: "hello" } },
    nestedSecret: { volumeId: "world", oneofSecret: "" },
  },
  secretInt: 4242,
  capabilityMap: { 2: { listSecret: "bbb" }, 1: { listSecret: "aaa" } },
  token: new Uint8Array([0xfb, 0xff]),
  levels: [0, 1, 7],
  secretBytes: Buffer.from("open sesame"),
};

const json: JsonValue = {
  name: "foo",
  capacityRange: { requiredBytes: 1024 },
  volumeCapabilities: [{ mount: { fsType: "ext4" }, listSecret: "knock" }, { secretDevice: "who's there" }],
  renamedSecrets: { "secret-abc": "123" },
  volumeContentSource: { volume: { volumeId: "abc", oneofSecret: "hello" }, nestedSecret: { volumeId: "world" } },
  secretInt: 4242,
};

describe("a later release of the protocol", () => {
  let folder: string;
  let descriptors: Descriptors;
  let registry: FileRegistry;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "future-"));
    await copyFile(join(import.meta.dirname, "../proto/csi.proto"), join(folder, "csi.proto"));
    await writeFile(join(folder, "future.proto"), futureProto);
    const protos = await compileProtos(folder);
    descriptors = describeMessages(protos, ["future.proto"]);
    registry = createFileRegistry(protos);
  });
  afterAll(() => rm(folder, { recursive: true }));

  test("once known, has its secrets stripped wherever they are", () => {
    expect(String(sanitize(message, "future.CreateVolumeRequest", descriptors))).toBe(
      '{"capability_map":{"1":{"list_secret":"***stripped***"},"2":{"list_secret":"***stripped***"}},"capacity_range":{"required_bytes":1024},' +
        '"levels":["UNKNOWN","HIGH",7],"name":"foo","renamed_secrets":"***stripped***","secret_bytes":"***stripped***","secret_int":"***stripped***","token":"+/8=",' +
        '"volume_capabilities":[{"list_secret":"***stripped***","mount":{"fs_type":"ext4"}},{"secret_device":"***stripped***"}],' +
        '"volume_content_source":{"nested_secret":"***stripped***","volume":{"oneof_secret":"***stripped***","volume_id":"abc"}}}',
    );
  });

  test("once known, gives its secrets to redaction wherever they are", () => {
    expect(secretsIn(message, "future.CreateVolumeRequest", descriptors).filter(Boolean).toSorted()).toEqual(
      ["123", "4242", "987", "aaa", "bbb", "hello", "knock", "open sesame", "who's there", "world"].toSorted(),
    );
  });

  test("as long as unknown, shows no field that we do not know", () => {
    const schema = registry.getMessage("future.CreateVolumeRequest")!;
    const received = CreateVolumeRequest.decode(toBinary(schema, fromJson(schema, json)));
    expect(String(sanitize(received, CreateVolumeRequest))).toBe(
      '{"capacity_range":{"required_bytes":1024},"name":"foo","secrets":"***stripped***",' +
        '"volume_capabilities":[{"mount":{"fs_type":"ext4"}},{}],"volume_content_source":{"volume":{"volume_id":"abc"}}}',
    );
  });
});
