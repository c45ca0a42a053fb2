import { describe, expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { CsiProxyError } from "./csi-proxy-error.ts";
import { KeyedLocks } from "./key-locks.ts";
import { RecordedExecutor } from "./powershell/recorded-executor.ts";
import { runOperation } from "./powershell/run-operation.ts";

/** Work that ends when it is told to, and notes when it begins and ends. */
function gated(log: string[], name: string) {
  const gate = Promise.withResolvers<void>();
  const work = async () => {
    log.push(`${name} begins`);
    await gate.promise;
    log.push(`${name} ends`);
    return name;
  };
  return { work, open: gate.resolve };
}

const settled = async () => {
  for (let i = 0; i < 10; i++) await Promise.resolve();
};

describe("KeyedLocks", () => {
  test("lets calls for one key happen one after the other, in order; other keys do not wait", async () => {
    const locks = new KeyedLocks();
    const log: string[] = [];
    const [first, second, third, other] = ["first", "second", "third", "other"].map((name) => gated(log, name));
    const done = [
      locks.run("volume:a", undefined, first!.work),
      locks.run("volume:a", undefined, second!.work),
      locks.run("volume:a", undefined, third!.work),
      locks.run("volume:b", undefined, other!.work),
    ];
    await settled();
    expect(log).toEqual(["first begins", "other begins"]);
    for (const { open } of [third!, second!, first!, other!]) open();
    expect(await Promise.all(done)).toEqual(["first", "second", "third", "other"]);
    const inOrder = ["first begins", "first ends", "second begins", "second ends", "third begins", "third ends"];
    expect(log.filter((line) => !line.startsWith("other"))).toEqual(inOrder);
    expect(locks.size).toBe(0);
  });

  test("gives the key back when the work fails", async () => {
    const locks = new KeyedLocks();
    const failing = locks.run("disk:1", undefined, () => Promise.reject(new Error("no such disk")));
    await expect(failing).rejects.toThrow("no such disk");
    expect(await locks.run("disk:1", undefined, async () => "next")).toBe("next");
    expect(locks.size).toBe(0);
  });

  test("a call that is aborted while it waits gives up its place", async () => {
    const locks = new KeyedLocks();
    const log: string[] = [];
    const first = gated(log, "first");
    const holder = locks.run("disk:1", undefined, first.work);
    const abort = new AbortController();
    const waiting = locks.run("disk:1", { signal: abort.signal }, gated(log, "aborted").work);
    const last = locks.run("disk:1", undefined, async () => log.push("last"));
    abort.abort();
    expect(await waiting.catch((error) => error)).toMatchObject({ code: "Aborted", message: "waiting for disk:1: aborted" });
    first.open();
    await Promise.all([holder, last]);
    expect(log).toEqual(["first begins", "first ends", "last"]);
  });

  test("an aborted call does not begin", async () => {
    const locks = new KeyedLocks();
    const call = locks.run("disk:1", { signal: AbortSignal.abort() }, async () => "done");
    await expect(call).rejects.toThrow("waiting for disk:1: aborted");
    expect(locks.size).toBe(0);
  });

  test("the time of a call is that of the wait and the work together", async () => {
    const clock = new FakeClock();
    const locks = new KeyedLocks(clock);
    const first = gated([], "first");
    const holder = locks.run("disk:1", undefined, first.work);
    let reason: unknown;
    const call = locks.run("disk:1", { timeoutMs: 1_000 }, async ({ signal }) => {
      await clock.sleep(10_000, signal).catch((why) => {
        reason = why;
      });
    });
    await clock.advance(700);
    first.open();
    await holder;
    await clock.advance(299);
    expect(reason).toBeUndefined();
    await clock.advance(1);
    await call;
    expect(reason).toEqual(new CsiProxyError("DeadlineExceeded", "timed out after 1000 ms"));
    expect(clock.waiting).toBe(0);
  });

  test("a call that ends in time leaves no timer", async () => {
    const clock = new FakeClock();
    expect(await new KeyedLocks(clock).run("disk:1", { timeoutMs: 1_000 }, async () => "done")).toBe("done");
    expect(clock.waiting).toBe(0);
  });

  test("stays locked until an abandoned operation has ended", async () => {
    const locks = new KeyedLocks();
    const format = Promise.withResolvers<{ ok: true; data: unknown }>();
    const executor = new RecordedExecutor([{ op: "volume.format", reply: format.promise }]);
    const abort = new AbortController();
    const call = locks.run("volume:a", { signal: abort.signal }, (options) =>
      runOperation(executor, "volume.format", { volumeID: "a" }, options),
    );
    await settled();
    abort.abort();
    expect(await call.catch((error) => error)).toMatchObject({ code: "Aborted", message: "volume.format: aborted" });

    let next = false;
    const following = locks.run("volume:a", undefined, async () => {
      next = true;
    });
    await settled();
    expect(next).toBe(false);
    format.resolve({ ok: true, data: { returnValue: 0 } });
    await following;
    expect(next).toBe(true);
    expect(locks.size).toBe(0);
  });
});
