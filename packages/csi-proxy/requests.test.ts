import { describe, expect, test } from "bun:test";
import { FakeClock, recordingLogger, until } from "@csi-sidecars/base/testing";
import { CsiProxyError } from "./csi-proxy-error.ts";
import type { Envelope } from "./powershell/executor.ts";
import { RecordedExecutor } from "./powershell/recorded-executor.ts";
import { Requests } from "./requests.ts";
import { windowsVolumeHostApi } from "./volume/host-api.windows.ts";
import { Volume } from "./volume/volume.ts";

describe("Requests", () => {
  test("logs a request from its verbosity on, and errors always", async () => {
    const log = recordingLogger(2);
    const requests = new Requests("disk", { log });
    await requests.read({ method: "Rescan", v: 2 }, undefined, async () => ({}));
    await requests.read({ method: "ListDiskIDs", v: 4 }, undefined, async () => ({}));
    const broken = { method: "GetDiskState", v: 4, fields: { diskNumber: 3 } };
    await requests.change(broken, "disk:3", undefined, () => Promise.reject(new Error("broken"))).catch(() => {});
    expect(log.lines.map(({ severity, logger, message, fields }) => [severity, logger, message, fields])).toEqual([
      ["info", "disk", "Rescan", {}],
      ["error", "disk", "GetDiskState failed", { diskNumber: 3 }],
    ]);
  });

  test("a client cannot fill the log: long texts are cut, also those in errors, which themselves stay whole", async () => {
    const log = recordingLogger(2);
    const requests = new Requests("volume", { log });
    const volumeId = "x".repeat(4 * 1024 * 1024);
    const broken = new CsiProxyError("NotFound", `error querying volume (${volumeId}). error: not found`);
    const request = { method: "GetVolumeStats", v: 2, fields: { volumeId, diskNumber: 3 } };
    await expect(requests.read(request, undefined, () => Promise.reject(broken))).rejects.toBe(broken);
    const cut = `${"x".repeat(4096)}... (4194304 characters)`;
    expect(log.lines.map(({ fields }) => fields)).toEqual(Array(2).fill({ volumeId: cut, diskNumber: 3 }));
    expect(String(log.lines[1]?.error)).toBe(`Error: ${broken.message.slice(0, 4096)}... (${broken.message.length} characters)`);
  });

  test("the time limit is that of all steps together", async () => {
    const clock = new FakeClock();
    const requests = new Requests("disk", { clock });
    const call = requests
      .read({ method: "ListDiskIDs", v: 4 }, { timeoutMs: 100 }, async ({ signal }) => {
        await clock.sleep(60, signal);
        await clock.sleep(60, signal);
      })
      .catch((error) => error);
    await clock.advance(100);
    expect((await call) as CsiProxyError).toMatchObject({ code: "DeadlineExceeded" });
    expect(clock.waiting).toBe(0);
  });
});

test("a format that outlives its call keeps the volume locked until it ends", async () => {
  const id = "\\\\?\\Volume{452e318a-5cde-421e-9831-b9853c521012}\\";
  const format = Promise.withResolvers<Envelope>();
  const executor = new RecordedExecutor([
    { op: "volume.format", reply: format.promise },
    { op: "volume.addMountPoint", reply: { ok: true, data: { win32: 0 } } },
  ]);
  const volume = new Volume(windowsVolumeHostApi(executor));
  const abort = new AbortController();
  const formatting = volume.formatVolume({ volumeId: id }, { signal: abort.signal }).catch((error) => error);
  await until("the format runs", () => executor.calls.length === 1);
  const mounting = volume.mountVolume({ volumeId: id.toLowerCase(), targetPath: "C:\\m" });
  abort.abort();
  const error = await formatting;
  expect(error).toBeInstanceOf(CsiProxyError);
  expect(error.code).toBe("Aborted");
  expect(executor.calls.map(({ op }) => op)).toEqual(["volume.format"]);
  format.resolve({ ok: true, data: { returnValue: 0 } });
  expect(await mounting).toEqual({});
  expect(executor.calls.map(({ op }) => op)).toEqual(["volume.format", "volume.addMountPoint"]);
});
