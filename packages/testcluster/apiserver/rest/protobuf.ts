import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { ownValue, setOwnValue } from "@csi-sidecars/base";
import { metav1Time } from "@csi-sidecars/kube";
import { type MessageField, publishedMessages } from "../../kinds/schemas.ts";
import type { JsonObject } from "../../rules/json.ts";

/** The content type of bodies from typed Go clients; `kubectl create` is one. */
export const protobufType = "application/vnd.kubernetes.protobuf";

const magic = Buffer.from("k8s\0");

/** An object as such a body wraps it: its types, and its bytes. */
interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
}

/** The JSON object in a protobuf body, read as the message of that schema; `undefined` when the bytes or the message are not understood. */
export function decodeProtobuf(body: Uint8Array, schemaName: string): JsonObject | undefined {
  const fields = ownValue(publishedMessages(), schemaName);
  if (!fields || !magic.equals(body.subarray(0, magic.length))) return undefined;
  try {
    const { apiVersion, kind, raw } = readEnvelope(body.subarray(magic.length));
    return { ...(apiVersion && { apiVersion }), ...(kind && { kind }), ...readMessage(raw, fields) };
  } catch {
    return undefined;
  }
}

function readEnvelope(bytes: Uint8Array): Envelope {
  let envelope: Envelope = { apiVersion: "", kind: "", raw: new Uint8Array() };
  for (const [number, reader] of fieldsIn(bytes)) {
    if (number === 1) {
      for (const [member, inner] of fieldsIn(reader.bytes())) {
        const text = inner.string();
        envelope = member === 1 ? { ...envelope, apiVersion: text } : { ...envelope, kind: text };
      }
    } else if (number === 2) envelope = { ...envelope, raw: reader.bytes() };
    else reader.skip(WireType.LengthDelimited);
  }
  return envelope;
}

function* fieldsIn(bytes: Uint8Array): Generator<readonly [number: number, reader: BinaryReader, wireType: WireType]> {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    yield [number, reader, wireType];
  }
}

function readMessage(bytes: Uint8Array, fields: readonly MessageField[]): JsonObject {
  const object: JsonObject = {};
  for (const [number, reader, wireType] of fieldsIn(bytes)) {
    const field = fields.find(([known]) => known === number);
    if (field) addField(object, field, reader);
    else reader.skip(wireType);
  }
  return object;
}

function addField(object: JsonObject, [, name, type, many, zero]: MessageField, reader: BinaryReader): void {
  if (many === "list") {
    const items = ownValue(object, name);
    setOwnValue(object, name, [...(Array.isArray(items) ? items : []), readValue(type, reader)]);
  } else if (many === "map") {
    setOwnValue(object, name, { ...(ownValue(object, name) ?? {}), ...readMapEntry(type, reader.bytes()) });
  } else {
    const value = readValue(type, reader);
    if (name === "") Object.assign(object, value);
    else if (zero === 1 || !isZero(value)) setOwnValue(object, name, value);
  }
}

function readMapEntry(type: string, bytes: Uint8Array): JsonObject {
  let key = "";
  let value: unknown = type === "string" || type === "bytes" ? "" : null;
  for (const [number, reader] of fieldsIn(bytes)) {
    if (number === 1) key = reader.string();
    else value = readValue(type, reader);
  }
  return { [key]: value };
}

function readValue(type: string, reader: BinaryReader): unknown {
  switch (type) {
    case "string":
      return reader.string();
    case "bytes":
      return Buffer.from(reader.bytes()).toString("base64");
    case "bool":
      return reader.bool();
    case "int32":
      return reader.int32();
    case "int64":
      return Number(reader.int64());
    case "double":
      return reader.double();
    default:
      return inJson(type, readMessage(reader.bytes(), ownValue(publishedMessages(), type) ?? []));
  }
}

/** Messages that are not objects in JSON. */
function inJson(type: string, message: JsonObject): unknown {
  const seconds = typeof message.seconds === "number" ? message.seconds : undefined;
  switch (type.slice(type.lastIndexOf(".") + 1)) {
    case "Time":
      return seconds === undefined ? null : metav1Time(seconds * 1000);
    case "MicroTime":
      return seconds === undefined ? null : microTime(seconds, Number(message.nanos ?? 0));
    case "Quantity":
      return message.string ?? "0";
    case "IntOrString":
      return message.type === 1 ? (message.strVal ?? "") : (message.intVal ?? 0);
    case "Verbs":
    case "ExtraValue":
      return message.items ?? [];
    case "FieldsV1":
    case "RawExtension":
      return {};
    default:
      return message;
  }
}

const microTime = (seconds: number, nanos: number): string =>
  new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, `.${String(Math.floor(nanos / 1000)).padStart(6, "0")}Z`);

/** What Go leaves out of JSON under `omitempty`, and empty structs, which mean the same to the server. */
function isZero(value: unknown): boolean {
  if (value === "" || value === 0 || value === false || value === null) return true;
  return typeof value === "object" && Object.keys(value ?? {}).length === 0;
}
