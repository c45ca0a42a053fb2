import { describe, expect, test } from "bun:test";
import { Registry } from "@csi-sidecars/base/prometheus";
import { FakeClock, recordingLogger } from "@csi-sidecars/base/testing";
import { blocked, done } from "@csi-sidecars/controller";
import { alwaysAvailable } from "@csi-sidecars/csi";
import { workQueueMetrics } from "@csi-sidecars/kube";
import { AttachDetachQueues, type AttachmentReconcile } from "./attach-detach-queues.ts";
import { AttachmentState } from "./attachment-state.ts";
import type { Attachment } from "./fields.ts";
import { attachment, cachedAttachment, deleted } from "./testing/objects.ts";

const named = (name: string, metadata = {}) => cachedAttachment(attachment({ metadata: { name, ...metadata } }));

/** Queues on a clock that stands still, and what was reconciled when. */
function world(reconcile: { attach?: AttachmentReconcile; detach?: AttachmentReconcile }, options: { workers?: number } = {}) {
  const clock = new FakeClock();
  const known = new Map<string, Attachment>();
  const reconciled: string[] = [];
  const context = { clock, log: recordingLogger(), queueMetrics: workQueueMetrics(new Registry()) };
  const { workers = 10 } = options;
  const state = new AttachmentState();
  const retryIntervals = { retryIntervalStart: 1_000, retryIntervalMax: 5_000 };
  const queues = new AttachDetachQueues(context, { workers, retryIntervals, driver: alwaysAvailable, state, attachments: known });
  const end = new AbortController();
  const noted =
    (operation: string, work: AttachmentReconcile = async () => done): AttachmentReconcile =>
    (name, lockVolume, signal) => {
      reconciled.push(`${operation} ${name} at ${clock.monotonic()}`);
      return work(name, lockVolume, signal);
    };
  const running = queues.run({ attach: noted("attach", reconcile.attach), detach: noted("detach", reconcile.detach) }, end.signal);
  return {
    ...{ clock, known, reconciled, queues },
    /** A reconcile that takes its time. */
    async busy(ms: number) {
      await clock.sleep(ms);
      return done;
    },
    async [Symbol.asyncDispose]() {
      end.abort();
      await running;
    },
  };
}

function failing(times = Number.POSITIVE_INFINITY): AttachmentReconcile {
  let left = times;
  return async () => {
    if (left-- > 0) throw new Error("no");
    return done;
  };
}

describe("backoff", () => {
  test("a failure is retried after 1 s, 2 s, 4 s, and then always after the longest time", async () => {
    await using w = world({ attach: failing() });
    w.queues.enqueue(named("a"));
    await w.clock.advance(17_000);
    expect(w.reconciled).toEqual([0, 1_000, 3_000, 7_000, 12_000, 17_000].map((at) => `attach a at ${at}`));
  });

  test("an attachment of the same name starts without the failures of the one before", async () => {
    await using w = world({ attach: failing() });
    w.queues.enqueue(named("a"));
    await w.clock.advance(3_000);
    w.queues.forget("a");
    await w.clock.advance(5_000);
    expect(w.reconciled).toEqual([0, 1_000, 3_000, 7_000, 8_000].map((at) => `attach a at ${at}`));
  });

  test("waiting for the volume's lock is no success: the failures still count", async () => {
    let held = false;
    await using w = world({
      attach: async (name, lockVolume) => {
        if (!lockVolume("v")) return blocked;
        if (name !== "holder") throw new Error("no");
        while (held) await w.clock.sleep(100);
        return done;
      },
    });
    w.queues.enqueue(named("a"));
    await w.clock.advance(1_000);
    held = true;
    w.queues.enqueue(named("holder"));
    await w.clock.advance(2_500);
    held = false;
    await w.clock.advance(100);
    const last = w.reconciled.at(-1);
    expect(last).toStartWith("attach a at 3");
    await w.clock.advance(3_500);
    expect(w.reconciled.at(-1)).toBe(last ?? "");
    await w.clock.advance(1_000);
    expect(w.reconciled.at(-1)).not.toBe(last ?? "");
  });
});

describe("attaching and detaching", () => {
  test("slow detaches do not delay attaches", async () => {
    await using w = world({ detach: () => w.busy(500) }, { workers: 1 });
    for (const name of ["a", "b"]) w.queues.enqueue(named(name, deleted));
    w.queues.enqueue(named("c"));
    await w.clock.advance(2_000);
    expect(w.reconciled.toSorted()).toEqual(["attach c at 0", "detach a at 0", "detach b at 500"]);
  });

  test("the detach of an attachment begins when its attach has ended", async () => {
    await using w = world({ attach: () => w.busy(500) });
    w.queues.enqueue(named("a"));
    await w.clock.advance(100);
    w.queues.enqueue(named("a", deleted));
    await w.clock.advance(1_000);
    expect(w.reconciled).toEqual(["attach a at 0", "detach a at 500"]);
  });

  test("an attachment that was deleted before the watch showed it is detached after its attach", async () => {
    await using w = world({});
    w.known.set("a", named("a", deleted));
    w.queues.enqueue(named("a"));
    await w.clock.advance(0);
    expect(w.reconciled).toEqual(["attach a at 0", "detach a at 0"]);
  });

  test("the locks of volumes are given in order of arrival, and nobody waits in a worker", async () => {
    await using w = world({ attach: async (_name, lockVolume) => (lockVolume("v") ? w.busy(100) : blocked) }, { workers: 1 });
    for (const name of ["a", "b", "c"]) w.queues.enqueue(named(name));
    await w.clock.advance(1_000);
    expect(w.reconciled).toEqual(["attach a at 0", "attach b at 100", "attach c at 200"]);
  });
});
