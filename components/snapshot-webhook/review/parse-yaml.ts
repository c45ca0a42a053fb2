import { isObject } from "./unstructured.ts";

/** The library takes time that grows with the square of some inputs; the API server sends JSON. */
const longestYaml = 64 * 1_024;

/** Parses YAML with exact integers, as `parseExactJson` does JSON. The library is loaded by the first who needs it. */
export async function parseYaml(text: string): Promise<unknown> {
  if (text.length > longestYaml) throw new Error(`YAML of more than ${longestYaml} characters is not read: send JSON`);
  const { parse } = await import("yaml");
  return withNumbers(parse(text, { intAsBigInt: true, logLevel: "silent" }));
}

/** Integers as numbers where those are exact. */
function withNumbers(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(withNumbers);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withNumbers(member)]));
}
