import { describe, expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { EventCorrelator } from "./event-correlator.ts";
import { eventNames, newEvent, type Occurrence } from "./event-object.ts";

const about = { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace: "default", name: "data", uid: "u1" };

function setUp() {
  const clock = new FakeClock();
  const names = eventNames(
    () => clock.now(),
    () => 0,
  );
  const correlator = new EventCorrelator(clock, names);
  const occur = (message: string, change: Partial<Occurrence> = {}) =>
    correlator.correlate(
      newEvent({ component: "external-resizer", about, type: "Warning", reason: "Failed", message, ...change }, names("data"), clock.now()),
    );
  return { clock, correlator, occur };
}

const otherObjects = (n: number) => Array.from({ length: n }, (_, i) => ({ ...about, name: `pvc-${i}`, uid: `other-${i}` }));

describe("counting", () => {
  test("the same event keeps name and first time; only count, last time and message are patched", async () => {
    const { clock, occur } = setUp();
    const first = occur("no space");
    await clock.advance(5_000);
    const second = occur("no space");
    expect(first?.patch).toBeUndefined();
    expect(second?.patch).toEqual({ count: 2, lastTimestamp: "2026-01-01T00:00:05Z", message: "no space" });
    expect(second?.event).toEqual({ ...first!.event, count: 2, lastTimestamp: "2026-01-01T00:00:05Z" });
  });

  const different: [what: string, change: Partial<Occurrence>][] = [
    ["another message", { message: "no quota" }],
    ["another reason", { reason: "Other" }],
    ["another type", { type: "Normal" }],
    ["another source", { component: "csi-snapshotter" }],
    ["another object", { about: { ...about, name: "logs" } }],
    ["the same name, created anew", { about: { ...about, uid: "u2" } }],
    ["another field", { about: { ...about, fieldPath: "spec.containers{a}" } }],
  ];
  test.each(different)("%s is another event", (_, change) => {
    const { occur } = setUp();
    occur("no space");
    expect(occur("no space", change)?.patch).toBeUndefined();
  });

  test("after 4096 other events a repetition counts as new", () => {
    const { occur } = setUp();
    occur("no space");
    for (const other of otherObjects(4_095)) occur("no space", { about: other });
    expect(occur("no space")?.event.count).toBe(2);
    for (const other of otherObjects(4_096)) occur("again", { about: other });
    expect(occur("no space")?.event.count).toBe(1);
  });

  test("what the source repeats is remembered beside them, and no longer when it ends", () => {
    const { correlator, occur } = setUp();
    correlator.repeated = () => 1_000;
    occur("no space");
    for (const other of otherObjects(5_095)) occur("no space", { about: other });
    expect(occur("no space")?.event.count).toBe(2);
    correlator.repeated = () => 0;
    occur("the end", { about: { ...about, name: "other" } });
    expect(otherObjects(5_095).filter((other) => occur("no space", { about: other })?.patch)).toEqual([]);
    expect(occur("no space")?.event.count).toBe(1);
  });
});

describe("aggregation", () => {
  const messages = (n: number) => Array.from({ length: n }, (_, i) => `attempt ${i + 1}`);

  test("the tenth different message is combined, and later ones count on it", () => {
    const { occur } = setUp();
    const events = messages(12).map((message) => occur(message));
    expect(events.slice(0, 9).map((e) => e?.event.message)).toEqual(messages(9));
    const combined = events[9]!.event;
    expect(combined).toMatchObject({ message: "(combined from similar events): attempt 10", count: 1, reason: "Failed", type: "Warning" });
    expect(combined.reportingComponent).toBeUndefined();
    expect(events.slice(0, 9).some((e) => e?.event.metadata.name === combined.metadata.name)).toBe(false);
    expect(events[11]).toMatchObject({
      event: { metadata: combined.metadata, count: 3 },
      patch: { count: 3, message: "(combined from similar events): attempt 12" },
    });
  });

  test("messages more than ten minutes after the last one start over", async () => {
    const { clock, occur } = setUp();
    for (const message of messages(9)) occur(message);
    await clock.advance(600_001);
    expect(occur("attempt 10")?.event.message).toBe("attempt 10");
  });

  test("the ten minutes count from the last message, not the first", async () => {
    const { clock, occur } = setUp();
    for (const message of messages(9)) {
      occur(message);
      await clock.advance(599_000);
    }
    expect(occur("attempt 10")?.event.message).toStartWith("(combined");
  });

  test("different reasons are not combined", () => {
    const { occur } = setUp();
    for (const message of messages(9)) occur(message, { reason: `Reason of ${message}` });
    expect(occur("attempt 10")?.event.message).toBe("attempt 10");
  });
});

describe("spam filter", () => {
  test("25 events about an object at once, then one in five minutes; held back events count", async () => {
    const { clock, occur } = setUp();
    for (let i = 0; i < 25; i++) expect(occur("no space")).toBeDefined();
    expect(occur("no space")).toBeUndefined();
    await clock.advance(299_000);
    expect(occur("no space")).toBeUndefined();
    await clock.advance(1_000);
    expect(occur("no space")?.event.count).toBe(28);
    expect(occur("no space")).toBeUndefined();
  });

  test("other objects, sources and types have their own allowance", () => {
    const { occur } = setUp();
    for (let i = 0; i < 26; i++) occur("no space");
    expect(occur("no space")).toBeUndefined();
    expect(occur("no space", { about: { ...about, name: "logs" } })).toBeDefined();
    expect(occur("no space", { component: "csi-snapshotter" })).toBeDefined();
    expect(occur("no space", { type: "Normal" })).toBeDefined();
    expect(occur("no space", { reason: "Other" })).toBeUndefined();
  });

  test("so have reasons, for a source that repeats one of them", () => {
    const { correlator, occur } = setUp();
    correlator.filtersByReason = true;
    for (let i = 0; i < 25; i++) expect(occur("no space")).toBeDefined();
    expect(occur("no space")).toBeUndefined();
    expect(occur("no space", { reason: "Other" })).toBeDefined();
    expect(occur("no space", { reason: "Other", about: { ...about, name: "logs" } })).toBeDefined();
  });
});
