import { describe, expect, test } from "bun:test";
import * as csi from "../gen/csi.ts";
import { descriptors } from "../gen/descriptors.ts";
import { secretsIn } from "./redact.ts";
import { sanitize } from "./sanitize.ts";

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
