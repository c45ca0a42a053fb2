import { describe, expect, test } from "bun:test";
import * as csi from "../gen/csi.ts";
import { descriptors } from "../gen/descriptors.ts";
import { RegistrationDefinition } from "../gen/pluginregistration.ts";

const services = [
  csi.IdentityDefinition,
  csi.ControllerDefinition,
  csi.GroupControllerDefinition,
  csi.SnapshotMetadataDefinition,
  csi.NodeDefinition,
];
const methods = services.flatMap((service) => Object.values(service.methods).map((method) => ({ service: service.fullName, ...method })));
const ofCsi = <T>(record: Readonly<Record<string, T>>): [string, T][] =>
  Object.entries(record).filter(([name]) => name.startsWith("csi.v1."));
const messages = ofCsi(descriptors.messages);
const fields = messages.flatMap(([message, fields]) => fields.map((field) => ({ message: message.slice("csi.v1.".length), ...field })));

describe("CSI 1.13 is complete, with what it took away", () => {
  test.each([
    ["services", services.length, 5],
    ["RPCs", methods.length, 36],
    ["messages", messages.length, 105],
    ["fields", fields.length, 221],
    ["enums", ofCsi(descriptors.enums).length, 10],
    ["enum values", ofCsi(descriptors.enums).flatMap(([, values]) => Object.keys(values)).length, 59],
    ["secret fields", fields.filter((field) => field.secret).length, 22],
  ])("%s", (_, actual, expected) => expect(actual).toBe(expected));

  test("every field named secrets is secret, and no other", () => {
    const secret = fields.filter((field) => field.secret).map((field) => `${field.message}(${field.number})`);
    expect(secret).toEqual(fields.filter((field) => field.name === "secrets").map((field) => `${field.message}(${field.number})`));
    expect(secret.toSorted()).toEqual(
      [
        "CreateVolumeRequest(5)",
        "DeleteVolumeRequest(2)",
        "ControllerPublishVolumeRequest(5)",
        "ControllerUnpublishVolumeRequest(3)",
        "ValidateVolumeCapabilitiesRequest(5)",
        "ControllerModifyVolumeRequest(2)",
        "CreateSnapshotRequest(3)",
        "DeleteSnapshotRequest(2)",
        "ListSnapshotsRequest(5)",
        "GetSnapshotRequest(2)",
        "ControllerExpandVolumeRequest(3)",
        "NodeStageVolumeRequest(5)",
        "NodePublishVolumeRequest(7)",
        "NodeExpandVolumeRequest(6)",
        "CreateVolumeGroupSnapshotRequest(3)",
        "DeleteVolumeGroupSnapshotRequest(3)",
        "GetVolumeGroupSnapshotRequest(3)",
        "GetMetadataAllocatedRequest(4)",
        "GetMetadataDeltaRequest(5)",
        "ControllerListVolumeHealthRequest(3)",
        "ControllerGetVolumeHealthRequest(2)",
        "NodeGetStorageHealthRequest(1)",
      ].toSorted(),
    );
  });

  test("requests and responses are named after their RPC, in the package csi.v1", () => {
    for (const { service, name, requestType, responseType } of methods) {
      expect(service).toStartWith("csi.v1.");
      expect([requestType.$type, responseType.$type] as string[]).toEqual([`csi.v1.${name}Request`, `csi.v1.${name}Response`]);
    }
  });

  test("only the answers of SnapshotMetadata are streams", () => {
    expect(methods.filter((method) => method.responseStream).map((method) => method.name)).toEqual([
      "GetMetadataAllocated",
      "GetMetadataDelta",
    ]);
    expect(methods.some((method) => method.requestStream)).toBe(false);
  });
});

test("kubelet finds the registration service under its name", () => {
  expect(RegistrationDefinition.fullName).toBe("pluginregistration.Registration");
  expect(Object.values(RegistrationDefinition.methods).map(({ name }) => name)).toEqual(["GetInfo", "NotifyRegistrationStatus"]);
});
