/** A field's value, ready for either format: text to be quoted, or something JSON can say. */
export type Rendered = { readonly kind: "text"; readonly text: string } | { readonly kind: "json"; readonly json: string };

/**
 * Renders a value that someone chose to log. Errors show their message; whatever has a `toString` of its own shows that, and
 * only that: it may exist to keep the rest out of logs. `undefined` has nothing to show. Never throws: a log line must not
 * break the work that it is about.
 */
export function renderValue(value: unknown): Rendered | undefined {
  try {
    switch (typeof value) {
      case "undefined":
        return undefined;
      case "string":
        return { kind: "text", text: value };
      case "number":
        return Number.isFinite(value) ? { kind: "json", json: String(value) } : { kind: "text", text: String(value) };
      case "boolean":
      case "bigint":
        return { kind: "json", json: String(value) };
      case "symbol":
      case "function":
        return { kind: "text", text: String(value) };
      case "object": {
        const text = ownText(value);
        return text === undefined ? { kind: "json", json: JSON.stringify(value, shown) ?? "null" } : { kind: "text", text };
      }
    }
  } catch (error) {
    return { kind: "text", text: `<unprintable: ${error instanceof Error ? error.message : "unknown"}>` };
  }
}

/** An error in words, as `err` shows it. */
export function errorText(error: unknown): string {
  const rendered = renderValue(error);
  return rendered === undefined ? "" : rendered.kind === "text" ? rendered.text : rendered.json;
}

function ownText(value: object | null): string | undefined {
  if (value === null || Array.isArray(value)) return undefined;
  if (value instanceof Error) return value.message === "" ? value.name : value.message;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "invalid date" : value.toISOString();
  if (value instanceof Uint8Array) return `<${value.length} bytes>`;
  return value.toString === Object.prototype.toString || typeof value.toString !== "function" ? undefined : value.toString();
}

function shown(this: unknown, _key: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Map) return Object.fromEntries(value);
  if (value instanceof Set) return [...value];
  return ownText(value) ?? value;
}
