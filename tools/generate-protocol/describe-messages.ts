import {
  createFileRegistry,
  type DescExtension,
  type DescField,
  type DescMessage,
  type DescOneof,
  type FileRegistry,
  getOption,
  ScalarType,
} from "@bufbuild/protobuf";
import { type FileDescriptorSet, isWrapperDesc } from "@bufbuild/protobuf/wkt";
import type { Descriptors, FieldDescriptor } from "../../packages/csi/sanitizer/descriptors.ts";

/** Name of the field option by which CSI marks what must never be logged. */
const secretOption = "csi.v1.csi_secret";

/** The sanitizer's table of all messages in `files`, and of the messages of other files that they use. */
export function describeMessages(protos: FileDescriptorSet, files: readonly string[]): Descriptors {
  const registry = createFileRegistry(protos);
  const secret = secretExtension(registry);
  const messages: Record<string, readonly FieldDescriptor[]> = {};
  const enums: Record<string, Record<number, string>> = {};

  const visit = (message: DescMessage): void => {
    if (message.typeName in messages) return;
    messages[message.typeName] = message.fields.toSorted((a, b) => a.number - b.number).map((field) => describeField(field, secret));
    for (const field of message.fields) {
      if (field.message) visit(field.message);
      if (field.enum) enums[field.enum.typeName] = Object.fromEntries(field.enum.values.map((value) => [value.number, value.name]));
    }
    message.nestedMessages.forEach(visit);
  };

  for (const file of registry.files) {
    if (files.includes(file.proto.name)) file.messages.forEach(visit);
  }
  return { messages, enums };
}

function secretExtension(registry: FileRegistry): DescExtension {
  const extension = registry.getExtension(secretOption);
  if (!extension) throw new Error(`no .proto file defines the option ${secretOption}: secrets could not be told from other fields`);
  return extension;
}

function describeField(field: DescField, secret: DescExtension): FieldDescriptor {
  if (field.proto.proto3Optional) throw new Error(`${field}: the sanitizer does not know fields marked "optional"`);
  return {
    number: field.number,
    name: field.name,
    property: field.jsonName,
    ...describeValue(field),
    ...(field.fieldKind === "list" || field.fieldKind === "map" ? { many: field.fieldKind } : {}),
    ...(field.oneof ? { oneof: camelCase(field.oneof) } : {}),
    ...(getOption(field, secret) === true ? { secret: true } : {}),
  };
}

function describeValue(field: DescField): Pick<FieldDescriptor, "kind" | "type"> {
  if (field.enum) return { kind: "enum", type: field.enum.typeName };
  if (field.message) return { kind: isWrapperDesc(field.message) ? "wrapper" : "message", type: field.message.typeName };
  switch (field.scalar) {
    case ScalarType.STRING:
      return { kind: "string" };
    case ScalarType.BOOL:
      return { kind: "bool" };
    case ScalarType.BYTES:
      return { kind: "bytes" };
    default:
      return { kind: "number" };
  }
}

const camelCase = (oneof: DescOneof): string => oneof.name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The table as the text of a TypeScript module. */
export function renderDescriptors({ messages, enums }: Descriptors): string {
  return [
    "// Written by tools/generate-protocol from the .proto files.",
    'import type { Descriptors } from "../sanitizer/descriptors.ts";',
    "",
    "export const descriptors: Descriptors = {",
    "  messages: {",
    ...byName(messages).flatMap(([name, fields]) =>
      fields.length === 0
        ? [`    ${JSON.stringify(name)}: [],`]
        : [`    ${JSON.stringify(name)}: [`, ...fields.map((field) => `      ${JSON.stringify(field)},`), "    ],"],
    ),
    "  },",
    "  enums: {",
    ...byName(enums).map(([name, values]) => `    ${JSON.stringify(name)}: ${JSON.stringify(values)},`),
    "  },",
    "};",
    "",
  ].join("\n");
}

const byName = <T>(record: Readonly<Record<string, T>>): [string, T][] => Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1));
