import { describe, expect, test } from "bun:test";
import { Registry } from "@csi-sidecars/base/prometheus";
import { FakeClock, recordingLogger } from "@csi-sidecars/base/testing";
import { workQueueMetrics } from "@csi-sidecars/kube";
import { Activity } from "./activity.ts";
import type { AttachmentReconcile } from "./attacher-context.ts";
import type { Attachment } from "./fields.ts";
import { Lanes } from "./lanes.ts";
import { cachedAttachment, deleted } from "./testing/cached.ts";
import { attachment } from "./testing/manifests.ts";

const named = (name: string, metadata = {}) => cachedAttachment(attachment({ metadata: { name, ...metadata } }));

/** Lanes on a clock that stands still, and what was done in them when. */
function world(reconcile: { attach?: AttachmentReconcile; detach?: AttachmentReconcile }, options: { concurrency?: number } = {}) {
  const clock = new FakeClock();
  const known = new Map<string, Attachment>();
  const done: string[] = [];
  const lanes = new Lanes({
    ...{ clock, log: recordingLogger(), metrics: workQueueMetrics(new Registry()), activity: new Activity() },
    ...{ concurrency: options.concurrency ?? 10, retryStartMs: 1_000, retryMaxMs: 5_000 },
    attachmentOf: (name) => known.get(name),
  });
  const end = new AbortController();
  const noted =
    (lane: string, work: AttachmentReconcile = async () => {}): AttachmentReconcile =>
    (name, enterVolume, signal) => {
      done.push(`${lane} ${name} at ${clock.monotonic()}`);
      return work(name, enterVolume, signal);
    };
  const running = lanes.run({ attach: noted("attach", reconcile.attach), detach: noted("detach", reconcile.detach) }, end.signal);
  return {
    ...{ clock, known, done, lanes },
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
  };
}

describe("backoff", () => {
  test("a failure is tried again after 1, 2, 4 and then always the longest time", async () => {
    await using w = world({ attach: failing() });
    w.lanes.add(named("a"));
    await w.clock.advance(17_000);
    expect(w.done).toEqual([0, 1_000, 3_000, 7_000, 12_000, 17_000].map((at) => `attach a at ${at}`));
  });

  test("one of the same name starts anew", async () => {
    await using w = world({ attach: failing() });
    w.lanes.add(named("a"));
    await w.clock.advance(3_000);
    w.lanes.forget("a");
    await w.clock.advance(5_000);
    expect(w.done).toEqual([0, 1_000, 3_000, 7_000, 8_000].map((at) => `attach a at ${at}`));
  });

  test("waiting for one's turn is no success: the failures still count", async () => {
    let held = false;
    await using w = world({
      attach: async (name, enterVolume) => {
        if (!enterVolume("v")) return;
        if (name === "holder") while (held) await w.clock.sleep(100);
        else throw new Error("no");
      },
    });
    w.lanes.add(named("a"));
    await w.clock.advance(1_000);
    held = true;
    w.lanes.add(named("holder"));
    await w.clock.advance(2_500);
    held = false;
    await w.clock.advance(100);
    const turn = w.done.at(-1);
    expect(turn).toStartWith("attach a at 3");
    await w.clock.advance(3_500);
    expect(w.done.at(-1)).toBe(turn ?? "");
    await w.clock.advance(1_000);
    expect(w.done.at(-1)).not.toBe(turn ?? "");
  });
});

describe("lanes", () => {
  test("slow detaches hold up no attach", async () => {
    await using w = world({ detach: async () => w.clock.sleep(500) }, { concurrency: 1 });
    for (const name of ["a", "b"]) w.lanes.add(named(name, deleted));
    w.lanes.add(named("c"));
    await w.clock.advance(2_000);
    expect(w.done).toEqual(["detach a at 0", "attach c at 0", "detach b at 500"]);
  });

  test("an attachment is in one lane at a time: its detach begins when its attach has ended", async () => {
    await using w = world({ attach: async () => w.clock.sleep(500) });
    w.lanes.add(named("a"));
    await w.clock.advance(100);
    w.lanes.add(named("a", deleted));
    await w.clock.advance(1_000);
    expect(w.done).toEqual(["attach a at 0", "detach a at 500"]);
  });

  test("an attachment that was deleted unseen goes on in the other lane", async () => {
    await using w = world({});
    w.known.set("a", named("a", deleted));
    w.lanes.add(named("a"));
    await w.clock.advance(0);
    expect(w.done).toEqual(["attach a at 0", "detach a at 0"]);
  });

  test("volumes are served first come first served, and nobody waits in a worker", async () => {
    await using w = world(
      { attach: async (_name, enterVolume) => void (enterVolume("v") && (await w.clock.sleep(100))) },
      { concurrency: 1 },
    );
    for (const name of ["a", "b", "c"]) w.lanes.add(named(name));
    await w.clock.advance(1_000);
    expect(w.done).toEqual(["attach a at 0", "attach b at 100", "attach c at 200"]);
  });
});
