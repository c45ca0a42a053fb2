/** JSON that keeps bigints, for what travels between a test and a driver in a process of its own. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_, inner) => (typeof inner === "bigint" ? { $bigint: String(inner) } : inner)) ?? "null";
}

export function fromJson(text: string): unknown {
  return JSON.parse(text, (_, inner) => (typeof inner?.$bigint === "string" ? BigInt(inner.$bigint) : inner));
}
