import { expect, test } from "bun:test";
import { systemClock } from "@csi-sidecars/base";
import { recordingLogger } from "@csi-sidecars/base/testing";
import { type Client, itemExponential, VolumeAttachment } from "@csi-sidecars/kube";
import { startPatchController } from "./patch-controller.ts";

test("a stop before the cache has synced ends the controller without an error", async () => {
  const stop = new AbortController();
  const log = recordingLogger();
  const view = {
    get: () => undefined,
    addHandler: () => ({ remove: async () => undefined, hasSynced: () => false, waitForSync: async () => undefined }),
    waitForSync: (signal?: AbortSignal) =>
      new Promise<void>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason), { once: true })),
  };
  const starting = startPatchController(
    { clock: systemClock, log, kube: {} as Client, signal: stop.signal },
    {
      ...{ name: "test", handler: "test", resource: VolumeAttachment, view, plan: () => undefined },
      ...{ workers: 1, rateLimiter: itemExponential(1_000, 300_000), resyncMs: 0 },
    },
  );
  stop.abort();
  await (await starting).done;
  expect(log.lines).toEqual([]);
});
