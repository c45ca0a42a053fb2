import { describe, expect, test } from "bun:test";
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { startApiServer } from "../api-server.ts";
import { decodeProtobuf, protobufType } from "./protobuf.ts";

const text = (writer: BinaryWriter, field: number, value: string) => writer.tag(field, 2).string(value);
const part = (writer: BinaryWriter, field: number, bytes: Uint8Array) => writer.tag(field, 2).bytes(bytes);
const message = (...fields: readonly ((writer: BinaryWriter) => unknown)[]): Uint8Array => {
  const writer = new BinaryWriter();
  for (const write of fields) write(writer);
  return writer.finish();
};
const string = (field: number, value: string) => (writer: BinaryWriter) => text(writer, field, value);
const inner =
  (field: number, ...fields: readonly ((writer: BinaryWriter) => unknown)[]) =>
  (writer: BinaryWriter) =>
    part(writer, field, message(...fields));
const number = (field: number, value: number) => (writer: BinaryWriter) => writer.tag(field, 0).int64(value);

/** A body as typed Go clients send it: four bytes of magic, then the types and the object's own bytes. */
const body = (apiVersion: string, kind: string, ...fields: readonly ((writer: BinaryWriter) => unknown)[]): Uint8Array =>
  Buffer.concat([Buffer.from("k8s\0"), message(inner(1, string(1, apiVersion), string(2, kind)), inner(2, ...fields))]);

const core = "io.k8s.api.core.v1";

describe("a body in protobuf", () => {
  const cases: readonly [what: string, schema: string, bytes: Uint8Array, object: object][] = [
    [
      "texts, maps, and nothing for what Go leaves out of JSON",
      `${core}.ConfigMap`,
      body(
        "v1",
        "ConfigMap",
        inner(1, string(1, "a"), string(2, ""), inner(8), inner(11, string(1, "k"), string(2, "v"))),
        inner(2, string(1, "x"), string(2, "y")),
      ),
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", labels: { k: "v" } }, data: { x: "y" } },
    ],
    [
      "bytes become base64",
      `${core}.Secret`,
      body("v1", "Secret", inner(2, string(1, "p"), string(2, "s3cret")), string(3, "Opaque")),
      { apiVersion: "v1", kind: "Secret", data: { p: "czNjcmV0" }, type: "Opaque" },
    ],
    [
      "members that Go embeds stand beside the others; quantities are texts; a zero that is meant stays",
      `${core}.PersistentVolume`,
      body(
        "v1",
        "PersistentVolume",
        inner(
          2,
          inner(1, string(1, "storage"), inner(2, string(1, "1Gi"))),
          inner(2, inner(22, string(1, "driver"), string(2, "handle"), number(3, 0))),
          string(3, "ReadWriteOnce"),
          string(3, "ReadOnlyMany"),
        ),
      ),
      {
        apiVersion: "v1",
        kind: "PersistentVolume",
        spec: {
          capacity: { storage: "1Gi" },
          csi: { driver: "driver", volumeHandle: "handle" },
          accessModes: ["ReadWriteOnce", "ReadOnlyMany"],
        },
      },
    ],
    [
      "times",
      "io.k8s.api.coordination.v1.Lease",
      body(
        "coordination.k8s.io/v1",
        "Lease",
        inner(2, string(1, "me"), number(2, 15), inner(4, number(1, 1_767_225_600), number(2, 123_456_000))),
      ),
      {
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        spec: { holderIdentity: "me", leaseDurationSeconds: 15, renewTime: "2026-01-01T00:00:00.123456Z" },
      },
    ],
    [
      "a number or a text",
      `${core}.Service`,
      body(
        "v1",
        "Service",
        inner(2, inner(1, number(3, 80), inner(4, number(1, 1), string(3, "http"))), inner(1, number(3, 81), inner(4, number(2, 8081)))),
      ),
      {
        apiVersion: "v1",
        kind: "Service",
        spec: {
          ports: [
            { port: 80, targetPort: "http" },
            { port: 81, targetPort: 8081 },
          ],
        },
      },
    ],
  ];
  test.each([...cases])("%s", (_, schema, bytes, object) => {
    expect<unknown>(decodeProtobuf(bytes, schema)).toEqual(object);
  });

  test.each([
    ["without its magic", message(string(1, "x")), `${core}.ConfigMap`],
    ["that ends too early", body("v1", "ConfigMap", string(2, "abc")).subarray(0, 24), `${core}.ConfigMap`],
    ["of a kind without messages", body("x/v1", "Widget"), "x.v1.Widget"],
  ])("one %s is not understood", (_, bytes, schema) => {
    expect(decodeProtobuf(bytes, schema)).toBeUndefined();
  });

  test("is an object like any other to the server", async () => {
    await using server = await startApiServer();
    const send = (method: string, path: string, bytes: Uint8Array) =>
      fetch(server.url + path, {
        method,
        body: bytes,
        headers: { Authorization: `Bearer ${server.adminToken}`, "Content-Type": protobufType },
        tls: { ca: server.caPem },
      });
    const path = "/api/v1/namespaces/default/configmaps";
    const created = await send(
      "POST",
      path,
      body("v1", "ConfigMap", inner(1, string(1, "a")), inner(2, string(1, "x"), string(2, "grün"))),
    );
    expect([created.status, JSON.parse(await created.text()).data]).toEqual([201, { x: "grün" }]);
    const wrong = await send("DELETE", `${path}/a`, body("v1", "DeleteOptions", inner(2, string(1, "another-uid"))));
    expect(wrong.status).toBe(409);
    expect((await send("POST", path, Buffer.from("k8s\0\xff"))).status).toBe(415);
  });
});
