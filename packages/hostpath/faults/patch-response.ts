import { dictionary, isRecord, ownValue } from "@csi-sidecars/base";
import { isMapField, snakeCase } from "../calls/proto-json.ts";

type Members = Readonly<Record<string, unknown>>;

/** Merges a patch, by the names of the .proto, into an answer; null takes a field away. Lists are replaced. */
export function patchResponse(response: object, patch: Members): object {
  return patched(response, patch, "");
}

function patched(message: object, patch: Members, at: string): object {
  const result = dictionary<unknown>({ ...message });
  const union = ownValue(unions, at);
  for (const [name, change] of Object.entries(patch)) {
    const key = camelCase(name);
    if (union?.arms.includes(name)) {
      const before = result[union.property];
      const arm = isRecord(before) && before.$case === key ? ownValue(before, key) : undefined;
      result[union.property] = change === null ? undefined : { $case: key, [key]: patchedValue(arm, change, name) };
    } else if (change === null) delete result[key];
    else if (isMapField(key)) result[key] = patchedMap(result[key], change);
    else result[key] = patchedValue(result[key], change, name);
  }
  return result;
}

function patchedValue(before: unknown, change: unknown, name: string): unknown {
  if (isRecord(change)) return patched(isRecord(before) ? before : {}, change, snakeCase(name));
  if (Array.isArray(change)) return change.map((item) => patchedValue(undefined, item, name));
  if (isWide(name, before) && /^-?\d+$/.test(String(change))) return BigInt(String(change));
  return change;
}

/** The keys of a map are the user's and stay as they are. */
function patchedMap(before: unknown, change: unknown): unknown {
  if (!isRecord(change)) return change;
  const merged = { ...(isRecord(before) ? before : {}), ...change };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
}

/** Which fields of an answer's messages are arms of a oneof, and the property that holds them, by the name of the field that has the message. */
const unions: Readonly<Record<string, { readonly property: string; readonly arms: readonly string[] } | undefined>> = {
  content_source: { property: "type", arms: ["snapshot", "volume"] },
  capabilities: { property: "type", arms: ["service", "volume_expansion", "rpc"] },
  volume_capabilities: { property: "accessType", arms: ["block", "mount"] },
};

/** 64-bit integers of answers. */
const wide =
  /^(capacity_bytes|size_bytes|byte_offset|volume_capacity_bytes|available_capacity|maximum_volume_size|minimum_volume_size|max_volumes_per_node|available|total|used|seconds)$/;

const isWide = (name: string, before: unknown) => typeof before === "bigint" || wide.test(snakeCase(name));

const camelCase = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
