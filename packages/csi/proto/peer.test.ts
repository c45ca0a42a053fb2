import { beforeAll, describe, expect, test } from "bun:test";
import { createFileRegistry, type FileRegistry, fromBinary, isFieldSet, toBinary } from "@bufbuild/protobuf";
import { compileProtos } from "../../../tools/generate-protocol/render-protocol.ts";
import * as csi from "../gen/csi.ts";
import { descriptors } from "../gen/descriptors.ts";
import * as registration from "../gen/pluginregistration.ts";
import type { FieldDescriptor } from "../sanitizer/descriptors.ts";

interface Codec {
  readonly $type: string;
  encode(message: unknown): { finish(): Uint8Array };
  decode(bytes: Uint8Array): unknown;
}

const isCodec = (value: unknown): value is Codec => typeof value === "object" && value !== null && "$type" in value && "decode" in value;
const exported: unknown[] = [...Object.values(csi), ...Object.values(registration)];
const codecs = exported.filter(isCodec).filter(({ $type }) => $type in descriptors.messages);

describe("a peer that reflects on the .proto files understands every field of every message", () => {
  let registry: FileRegistry;
  beforeAll(async () => {
    registry = createFileRegistry(await compileProtos(import.meta.dirname));
  });

  test.each(codecs)("$$type", (codec) => {
    const schema = registry.getMessage(codec.$type)!;
    for (const arm of ["first", "last"] as const) {
      const message = sample(codec.$type, arm);
      const bytes = codec.encode(message).finish();
      expect(codec.decode(bytes)).toEqual(message);
      const peer = fromBinary(schema, bytes, { readUnknownFields: false });
      expect(Buffer.from(toBinary(schema, peer)).toString("hex")).toBe(Buffer.from(bytes).toString("hex"));
      expect(schema.fields.filter((field) => isFieldSet(peer, field)).map((field) => field.number)).toEqual(
        chosen(codec.$type, arm).map((field) => field.number),
      );
    }
  });
});

/** All fields of the type, but of each oneof only one. */
function chosen(typeName: string, arm: "first" | "last"): readonly FieldDescriptor[] {
  const fields = descriptors.messages[typeName]!;
  const armOf = (oneof: string) => fields.filter((field) => field.oneof === oneof).at(arm === "first" ? 0 : -1);
  return fields.filter((field) => field.oneof === undefined || field === armOf(field.oneof));
}

/** A message with something in every field. */
function sample(typeName: string, arm: "first" | "last"): unknown {
  return Object.fromEntries(
    chosen(typeName, arm).map((field) => {
      const value = many(field, sampleValue(typeName, field, arm));
      return field.oneof === undefined ? [field.property, value] : [field.oneof, { $case: field.property, [field.property]: value }];
    }),
  );
}

function many(field: FieldDescriptor, value: unknown): unknown {
  if (field.many === "list") return [value, value];
  return field.many === "map" ? { [`${field.name}-key`]: value } : value;
}

const isLong = (typeName: string, { name, number }: FieldDescriptor) =>
  !["max_entries", "max_results"].includes(name) && !(typeName === "google.protobuf.Timestamp" && number === 2);

function sampleValue(typeName: string, field: FieldDescriptor, arm: "first" | "last"): unknown {
  switch (field.kind) {
    case "string":
      return `${field.name} ü`;
    case "bool":
      return true;
    case "number":
      return isLong(typeName, field) ? 2n ** 62n + BigInt(field.number) : 1_000 + field.number;
    case "enum":
      return Number(Object.keys(descriptors.enums[field.type!]!).at(-1));
    case "message":
      return sample(field.type!, arm);
    case "wrapper":
      return field.type === "google.protobuf.BoolValue" ? true : 7n;
    case "bytes":
      return new Uint8Array([1, 2]);
  }
}
