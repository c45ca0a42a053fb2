import { ownValue } from "@csi-sidecars/base";
import type { Script } from "../script/script.ts";
import type { Latency, ReadyAfter } from "../script/scripted.ts";
import type { Features } from "../settings.ts";

type Arguments = readonly unknown[];

/** Carries out `POST /script/<name>`: arguments come as a JSON list. */
export async function callScript(script: Script, name: string, args: Arguments): Promise<void> {
  const known = operations(script);
  const operation = ownValue(known, name);
  if (!operation) throw new Error(`no script ${name}; there are ${Object.keys(known).join(", ")}`);
  await operation(args);
}

function operations(script: Script): Readonly<Record<string, (args: Arguments) => unknown>> {
  const { volume, capacity, probe, snapshot, groupSnapshot, capabilities, node, backend } = script;
  return {
    "volume.condition": ([id, abnormal, message]) => volume.condition(text(id), abnormal === true, text(message ?? "")),
    "volume.resetCondition": ([id]) => volume.resetCondition(text(id)),
    "volume.detachExternally": ([id, nodeId]) => volume.detachExternally(text(id), text(nodeId)),
    "volume.attachExternally": ([id, nodeId, readOnly]) => volume.attachExternally(text(id), text(nodeId), readOnly === true),
    "volume.deleteExternally": ([id]) => volume.deleteExternally(text(id)),
    "capacity.set": ([kind, quantity]) => capacity.set(text(kind), String(quantity)),
    "probe.notReady": ([after]) => probe.notReady(readyAfter(after)),
    "snapshot.readyAfter": ([after]) => snapshot.readyAfter(after === null || after === undefined ? undefined : readyAfter(after)),
    "groupSnapshot.readyAfter": ([after]) =>
      groupSnapshot.readyAfter(after === null || after === undefined ? undefined : readyAfter(after)),
    "capabilities.set": ([features]) => capabilities.set(checkFeatures(features)),
    "node.limit": ([limit]) => node.limit(BigInt(number(limit))),
    pendingPolicy: ([policy]) => {
      if (policy !== "wait" && policy !== "aborted") throw new Error("pendingPolicy: use wait or aborted");
      script.pendingPolicy(policy);
    },
    "backend.latency": ([latencies]) => backend.latency(latencyMap(latencies)),
    "backend.seed": ([volumes, snapshots]) => backend.seed(number(volumes), number(snapshots ?? 0)),
  };
}

function text(value: unknown): string {
  if (typeof value !== "string") throw new Error(`expected a string, not ${JSON.stringify(value)}`);
  return value;
}

function number(value: unknown): number {
  if (typeof value !== "number" || !Number.isInteger(value)) throw new Error(`expected an integer, not ${JSON.stringify(value)}`);
  return value;
}

/** A number is a number of calls; `{"ms": 500}` is a time. */
function readyAfter(value: unknown): ReadyAfter {
  if (typeof value === "object" && value !== null) {
    if ("ms" in value) return { ms: number(value.ms) };
    if ("calls" in value) return { calls: number(value.calls) };
  }
  return { calls: number(value) };
}

function latencyMap(value: unknown): Record<string, Latency> {
  if (typeof value !== "object" || value === null) throw new Error('expected an object: {"CreateVolume": 20, "DeleteVolume": [5, 50]}');
  return Object.fromEntries(
    Object.entries(value).map(([method, latency]): [string, Latency] => [
      method,
      Array.isArray(latency) ? [number(latency[0]), number(latency[1])] : number(latency),
    ]),
  );
}

const booleans = [
  "attach",
  "topology",
  "expansion",
  "controllerExpansion",
  "nodeExpansion",
  "modify",
  "getVolume",
  "listVolumes",
  "volumeCondition",
  "listSnapshots",
  "groupSnapshots",
  "snapshotMetadata",
  "publishedNodes",
  "publishReadonly",
  "volumeMountGroup",
  "volumeHealth",
  "snapshotTopology",
] as const;

/** Checks features that came as JSON. */
function checkFeatures(value: unknown): Partial<Features> {
  if (typeof value !== "object" || value === null) throw new Error(`expected an object with some of ${booleans.join(", ")}, expansionMode`);
  const given: Readonly<Record<string, unknown>> = { ...value };
  const features: { -readonly [K in keyof Features]?: Features[K] } = {};
  for (const [key, feature] of Object.entries(given)) {
    const name = booleans.find((candidate) => candidate === key);
    if (name && typeof feature === "boolean") features[name] = feature;
    else if (key === "expansionMode" && (feature === "online" || feature === "offline" || feature === "none"))
      features.expansionMode = feature;
    else
      throw new Error(`${key}: ${JSON.stringify(feature)} is no feature; there are ${booleans.join(", ")} (true or false), expansionMode`);
  }
  return features;
}
