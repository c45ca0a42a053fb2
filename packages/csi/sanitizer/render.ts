import { ownValue } from "@csi-sidecars/base";
import { asBytes, asList, asObject, type Descriptors, type FieldDescriptor, type PlainObject, populatedFields } from "./descriptors.ts";

/** What stands in the place of a secret. */
export const stripped = "***stripped***";

/** Collects the text of a message, up to a length: nothing is rendered that lies behind it. */
export class BoundedText {
  readonly #parts: string[] = [];
  #left: number;

  constructor(maxLength: number) {
    this.#left = maxLength;
  }

  get full(): boolean {
    return this.#left <= 0;
  }

  add(text: string): void {
    if (this.full) return;
    this.#parts.push(text.slice(0, this.#left));
    this.#left -= text.length;
  }

  /** A string in quotes. Escapes only lengthen it, so that what cannot fit is not looked at. */
  addString(text: string): void {
    this.add(goString(text.length > this.#left ? text.slice(0, Math.max(0, this.#left)) : text));
  }

  /** What stands between commas. */
  addAll<T>(items: Iterable<T>, add: (item: T) => void): void {
    let first = true;
    for (const item of items) {
      if (this.full) return;
      if (!first) this.add(",");
      first = false;
      add(item);
    }
  }

  toString(): string {
    return this.#parts.join("");
  }
}

/** The message as JSON in the names of its .proto, without the content of secret fields and of fields unknown to us. */
export function renderMessage(message: PlainObject, typeName: string, descriptors: Descriptors, to: BoundedText): void {
  const fields = ownValue(descriptors.messages, typeName);
  if (!fields) throw new Error("unknown message type");
  const populated = Array.from(populatedFields(message, fields), ([field, value]) => [field.name, { field, value }] as const);
  renderObject(populated, to, ({ field, value }) => {
    if (field.secret) to.addString(stripped);
    else renderField(field, value, descriptors, to);
  });
}

function renderField(field: FieldDescriptor, value: unknown, descriptors: Descriptors, to: BoundedText): void {
  switch (field.many) {
    case "list":
      to.add("[");
      to.addAll(asList(value), (item) => renderValue(field, item, descriptors, to));
      to.add("]");
      return;
    case "map":
      renderObject(Object.entries(asObject(value)), to, (item) => renderValue(field, item, descriptors, to));
      return;
    case undefined:
      renderValue(field, value, descriptors, to);
  }
}

function renderValue({ kind, type = "" }: FieldDescriptor, value: unknown, descriptors: Descriptors, to: BoundedText): void {
  switch (kind) {
    case "message":
      renderMessage(asObject(value), type, descriptors, to);
      break;
    case "wrapper":
      renderMessage({ value }, type, descriptors, to);
      break;
    case "enum": {
      const name = ownValue(descriptors.enums, type)?.[Number(value)];
      if (name === undefined) to.add(String(value));
      else to.addString(name);
      break;
    }
    case "bytes":
      to.addString(Buffer.from(asBytes(value)).toString("base64"));
      break;
    case "string":
      to.addString(String(value));
      break;
    case "bool":
    case "number":
      to.add(String(value));
  }
}

/** An object on one line, sorted by key as Go sorts: by the bytes of UTF-8. */
function renderObject<T>(entries: readonly (readonly [key: string, value: T])[], to: BoundedText, render: (value: T) => void): void {
  to.add("{");
  to.addAll(
    entries.toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    ([key, value]) => {
      to.addString(key);
      to.add(":");
      render(value);
    },
  );
  to.add("}");
}

/** A string as Go's encoding/json writes it: also safe inside HTML and JavaScript. */
const goString = (text: string): string => JSON.stringify(text).replace(/[<>&\u2028\u2029]/g, escaped);

const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
