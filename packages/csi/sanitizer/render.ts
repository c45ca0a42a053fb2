import { ownValue } from "@csi-sidecars/base";
import { asBytes, asList, asObject, type Descriptors, type FieldDescriptor, type PlainObject, populatedFields } from "./descriptors.ts";

/** What stands in the place of a secret. */
export const stripped = "***stripped***";

/** The message as JSON in the names of its .proto, without the content of secret fields and of fields unknown to us. */
export function renderMessage(message: PlainObject, typeName: string, descriptors: Descriptors): string {
  const fields = ownValue(descriptors.messages, typeName);
  if (!fields) throw new Error("unknown message type");
  return goObject(
    Array.from(populatedFields(message, fields), ([field, value]) => [
      field.name,
      field.secret ? goString(stripped) : renderField(field, value, descriptors),
    ]),
  );
}

function renderField(field: FieldDescriptor, value: unknown, descriptors: Descriptors): string {
  switch (field.many) {
    case "list":
      return `[${asList(value)
        .map((item) => renderValue(field, item, descriptors))
        .join(",")}]`;
    case "map":
      return goObject(Object.entries(asObject(value)).map(([key, item]) => [key, renderValue(field, item, descriptors)]));
    case undefined:
      return renderValue(field, value, descriptors);
  }
}

function renderValue({ kind, type = "" }: FieldDescriptor, value: unknown, descriptors: Descriptors): string {
  switch (kind) {
    case "message":
      return renderMessage(asObject(value), type, descriptors);
    case "wrapper":
      return renderMessage({ value }, type, descriptors);
    case "enum": {
      const name = ownValue(descriptors.enums, type)?.[Number(value)];
      return name === undefined ? String(value) : goString(name);
    }
    case "bytes":
      return goString(Buffer.from(asBytes(value)).toString("base64"));
    case "string":
      return goString(String(value));
    case "bool":
    case "number":
      return String(value);
  }
}

/** A string as Go's encoding/json writes it: also safe inside HTML and JavaScript. */
export const goString = (text: string): string => JSON.stringify(text).replace(/[<>&\u2028\u2029]/g, escaped);

/** An object of already rendered values, on one line, sorted by key as Go sorts: by the bytes of UTF-8. */
export const goObject = (entries: Iterable<readonly [key: string, rendered: string]>): string =>
  `{${[...entries]
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([key, rendered]) => `${goString(key)}:${rendered}`)
    .join(",")}}`;

const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
