/** Merges a patch, by the names of the .proto, into an answer; null takes a field away. */
export function patchResponse(response: object, patch: Readonly<Record<string, unknown>>): object {
  const patched: Record<string, unknown> = { ...response };
  for (const [name, change] of Object.entries(patch)) {
    const key = camelCase(name);
    const before = patched[key];
    if (change === null) delete patched[key];
    else if (typeof change === "number" && isWide(name, before)) patched[key] = BigInt(change);
    else if (isPlain(change)) patched[key] = patchResponse(isPlain(before) ? before : {}, change);
    else if (Array.isArray(change) && change.every(isPlain)) patched[key] = change.map((item) => patchResponse({}, item));
    else patched[key] = change;
  }
  return patched;
}

/** 64-bit integers of answers. */
const wide =
  /^(capacity_bytes|size_bytes|available_capacity|maximum_volume_size|minimum_volume_size|max_volumes_per_node|available|total|used)$/;

const isWide = (name: string, before: unknown) =>
  typeof before === "bigint" || wide.test(name.replace(/[A-Z]/g, (l) => `_${l.toLowerCase()}`));

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const camelCase = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
