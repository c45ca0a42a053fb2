import { expect, test } from "bun:test";
import type { Client, ListOptions, V1Event } from "@csi-sidecars/kube";
import { eventReasons } from "../event-reasons.ts";
import { readEarlierReports } from "./earlier-reports.ts";

const { abnormal, normal, missing } = eventReasons;
type Kind = typeof abnormal | typeof normal | typeof missing;
let version = 0;

/** An event about the claim `uid`, written after those before it. */
function event({ reason, type }: Kind, uid: string, parts: Partial<V1Event>): V1Event {
  return {
    metadata: { name: `event-${++version}`, resourceVersion: String(version) },
    involvedObject: { kind: "PersistentVolumeClaim", uid },
    ...{ reason, type },
    ...parts,
  };
}

/** Reads the reports out of these events, in pages of one event. */
async function reports(events: readonly V1Event[]): Promise<{ readonly uids: readonly string[]; readonly asked: readonly ListOptions[] }> {
  const asked: ListOptions[] = [];
  const list = async (_: unknown, options: ListOptions) => {
    asked.push({ fieldSelector: options.fieldSelector, limit: options.limit, continue: options.continue });
    const selected = events.filter(({ reason }) => options.fieldSelector === `reason=${reason},involvedObject.kind=PersistentVolumeClaim`);
    const at = Number(options.continue ?? 0);
    return { items: selected.slice(at, at + 1), metadata: at + 1 < selected.length ? { continue: String(at + 1) } : {} };
  };
  const kube = { list } as unknown as Pick<Client, "list">;
  const uids = await readEarlierReports(kube, { abnormal: [abnormal, missing], normal }, new AbortController().signal);
  return { uids: [...uids], asked };
}

const [early, late] = ["2026-01-01T00:00:00Z", "2026-01-01T00:05:00Z"];

test.each<[string, V1Event[], string[]]>([
  ["abnormal", [event(abnormal, "a", { lastTimestamp: early })], ["a"]],
  ["missing", [event(missing, "a", { lastTimestamp: early })], ["a"]],
  ["recovered later", [event(abnormal, "a", { lastTimestamp: early }), event(normal, "a", { lastTimestamp: late })], []],
  ["abnormal again", [event(normal, "a", { lastTimestamp: early }), event(abnormal, "a", { lastTimestamp: late })], ["a"]],
  [
    "told with several messages",
    [
      event(abnormal, "a", { lastTimestamp: late }),
      event(abnormal, "a", { lastTimestamp: early }),
      event(normal, "a", { lastTimestamp: early }),
    ],
    ["a"],
  ],
  ["recovered in the same second", [event(abnormal, "a", { lastTimestamp: late }), event(normal, "a", { lastTimestamp: late })], []],
  [
    "abnormal again in the same second",
    [event(normal, "a", { lastTimestamp: late }), event(abnormal, "a", { lastTimestamp: late })],
    ["a"],
  ],
  [
    "the claim of that name before it",
    [event(abnormal, "a", { lastTimestamp: late }), event(normal, "a-before", { lastTimestamp: late })],
    ["a"],
  ],
  [
    "a series of events.k8s.io",
    [event(abnormal, "a", { eventTime: early, series: { count: 7, lastObservedTime: late } }), event(normal, "a", { eventTime: early })],
    ["a"],
  ],
  [
    "an event without times of its own",
    [event(abnormal, "a", {}), event(normal, "a", { metadata: { creationTimestamp: early, resourceVersion: "1" } })],
    [],
  ],
  ["events of other types", [event({ ...abnormal, type: "Normal" } as never, "a", { lastTimestamp: late })], []],
  ["an event about nothing", [event(abnormal, "", { lastTimestamp: late })], []],
])("%s", async (_, events, expected) => {
  expect((await reports(events)).uids).toEqual(expected);
});

test("events are read by reason, in pages; recoveries only if there is something to recover", async () => {
  const select = (reason: string) => `reason=${reason},involvedObject.kind=PersistentVolumeClaim`;
  const { asked } = await reports([event(abnormal, "a", {}), event(abnormal, "b", {})]);
  expect(asked).toEqual([
    { fieldSelector: select("VolumeConditionAbnormal"), limit: 500, continue: undefined },
    { fieldSelector: select("VolumeConditionAbnormal"), limit: 500, continue: "1" },
    { fieldSelector: select("VolumeMissing"), limit: 500, continue: undefined },
    { fieldSelector: select("VolumeConditionNormal"), limit: 500, continue: undefined },
  ]);
  expect((await reports([event(normal, "a", {})])).asked).toHaveLength(2);
});
