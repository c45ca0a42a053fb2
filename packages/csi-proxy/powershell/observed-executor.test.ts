import { expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { CsiProxyError } from "../csi-proxy-error.ts";
import type { Envelope } from "./executor.ts";
import { type ObservedOperation, observedExecutor } from "./observed-executor.ts";
import { RecordedExecutor } from "./recorded-executor.ts";

test("tells operation, time and outcome of every operation, and passes everything on", async () => {
  const clock = new FakeClock();
  const slow = Promise.withResolvers<Envelope>();
  const missing: Envelope = { ok: false, error: { message: "gone", category: "ObjectNotFound" } };
  const recorded = new RecordedExecutor([
    { op: "system.bios", reply: slow.promise },
    { op: "volume.get", reply: missing },
    { op: "disk.rescan", reply: new CsiProxyError("Unavailable", "lost") },
    { op: "disk.list", reply: new Error("odd") },
  ]);
  const seen: ObservedOperation[] = [];
  const executor = observedExecutor(recorded, (operation) => seen.push(operation), clock);
  const bios = executor.run("system.bios", {});
  await clock.advance(250);
  slow.resolve({ ok: true, data: "serial" });
  expect(await bios).toEqual({ ok: true, data: "serial" });
  expect(await executor.run("volume.get", { volumeID: "a" })).toBe(missing);
  await expect(executor.run("disk.rescan", {})).rejects.toThrow("lost");
  await expect(executor.run("disk.list", {})).rejects.toThrow("odd");
  expect(seen).toEqual([
    { op: "system.bios", durationMs: 250, ok: true, code: "OK" },
    { op: "volume.get", durationMs: 0, ok: false, code: "NotFound" },
    { op: "disk.rescan", durationMs: 0, ok: false, code: "Unavailable" },
    { op: "disk.list", durationMs: 0, ok: false, code: "Internal" },
  ]);
  expect(recorded.calls[1]?.params).toEqual({ volumeID: "a" });
});
