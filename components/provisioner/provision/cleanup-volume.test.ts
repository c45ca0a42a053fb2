import { expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { StatusError } from "@csi-sidecars/kube";
import type { ProvisionerContext } from "../provisioner-context.ts";
import { able, provisionRequest } from "../testing/cached.ts";
import { cleanupUnsavable } from "./cleanup-volume.ts";

const answer = (code: number, reason: string) => new StatusError({ code, reason, message: reason });

/** A provisioner whose cache has no volumes yet; the API server answers `read` when it is asked for one. */
async function cleanedUp(read: () => Promise<object>) {
  const deleted: string[] = [];
  const context = {
    clock: new FakeClock(),
    driver: able,
    settings: { timeoutMs: 1_000 },
    volumes: { list: () => [] },
    kube: { get: read },
    csiController: { deleteVolume: async ({ volumeId }: { volumeId: string }) => void deleted.push(volumeId) },
  };
  const refused = { volumeId: "handle-1", refusal: new Error("not allowed") };
  const { kind, error } = await cleanupUnsavable(
    context as never as ProvisionerContext,
    provisionRequest(),
    refused,
    AbortSignal.timeout(10_000),
  );
  return { kind, message: error.message, deleted };
}

const message = "the API server rejected the PersistentVolume: not allowed";

test.each([
  ["nobody has saved", () => Promise.reject(answer(404, "NotFound")), { kind: "final", message, deleted: ["handle-1"] }],
  ["an earlier process has saved", async () => ({ metadata: { name: "pvc-claim-uid" } }), { kind: "uncertain", message, deleted: [] }],
  ["may be saved, who knows", () => Promise.reject(answer(500, "InternalError")), { kind: "uncertain", message, deleted: [] }],
] as const)("a volume that %s, and whose object is refused", async (_, read, outcome) => {
  expect(await cleanedUp(read)).toEqual(outcome as never);
});
