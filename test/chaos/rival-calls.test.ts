import { expect, test } from "bun:test";
import type { DriverCall } from "@csi-sidecars/testcluster";
import type { Disturbance } from "./replica-disturbances.ts";
import { lateCalls, rivalCalls, volumeTimeLine } from "./rival-calls.ts";

/** `a` renews for the last time at 10 s and is certain to lead until 12 s; `b` leads from 14 s on. */
const lease = [
  { after: 9_950, seenAt: 10_000, holder: "a" },
  { after: 13_950, seenAt: 14_000, holder: "b" },
  { after: 14_950, seenAt: 15_000, holder: "b" },
];

const publish = (caller: string, startedAt: number, ends: Pick<DriverCall, "endedAt" | "clientGoneAt">): DriverCall =>
  ({ order: startedAt, method: "ControllerPublishVolume", request: { volumeId: "v" }, caller, startedAt, ...ends }) as DriverCall;
const until = (endedAt: number) => ({ endedAt, clientGoneAt: undefined });
const givenUp = (clientGoneAt: number, endedAt: number) => ({ endedAt, clientGoneAt });
const toA = (kind: Disturbance["kind"], from: number, to: number): Disturbance => ({ replica: "a", kind, from, to });

test.each([
  ["while it leads", publish("a", 11_000, until(11_100)), [], 0],
  ["after its time", publish("a", 13_000, until(13_100)), [], 1],
  ["after its time, when it was suspended", publish("a", 13_000, until(13_100)), [toA("suspended", 10_500, 12_900)], 1],
  ["after its time, from a frozen connection", publish("a", 13_000, until(13_100)), [toA("driver frozen", 10_500, 12_900)], 0],
  ["after its time, long after the connection was frozen", publish("a", 13_000, until(13_100)), [toA("driver frozen", 9_000, 9_500)], 1],
  ["before it has the lease", publish("b", 12_000, until(12_100)), [], 1],
  ["as soon as it has the lease", publish("b", 13_960, until(14_100)), [], 0],
  ["and never has the lease", publish("c", 11_000, until(11_100)), [], 1],
])("a replica that calls %s", (_, call, disturbances, found) => {
  expect(lateCalls({ calls: [call], disturbances, lease })).toHaveLength(found);
});

const repeated = publish("b", 14_100, until(14_200));

test.each([
  ["has ended", publish("a", 11_000, until(13_000)), [], 0],
  ["was given up", publish("a", 11_000, givenUp(12_000, 16_000)), [], 0],
  ["is given up late", publish("a", 11_000, givenUp(15_000, 16_000)), [], 1],
  ["is still waited for", publish("a", 11_000, until(16_000)), [], 1],
  ["is waited for by a suspended replica", publish("a", 11_000, until(16_000)), [toA("suspended", 11_500, 15_500)], 0],
  ["cannot be cancelled", publish("a", 11_000, until(16_000)), [toA("driver frozen", 11_500, 15_500)], 0],
  ["is waited for after the API server was cut off", publish("a", 11_000, until(16_000)), [toA("API frozen", 10_000, 16_000)], 1],
  ["is its own", publish("b", 14_000, until(16_000)), [], 0],
])("a call that begins while an earlier one %s", (_, earlier, disturbances, found) => {
  expect(rivalCalls({ calls: [earlier, repeated], disturbances, lease })).toHaveLength(found);
});

test("the time line of a name has the calls for each volume that was created under it", () => {
  const create = (order: number, volumeId: string) =>
    ({
      ...{
        order,
        method: "CreateVolume",
        request: { name: "pvc-1", volumeCapabilities: [] },
        caller: "a",
        startedAt: order,
        endedAt: order + 1,
      },
      outcome: { kind: "answered", response: { volume: { volumeId } } },
    }) as unknown as DriverCall;
  const remove = (order: number, volumeId: string) =>
    ({ order, method: "DeleteVolume", request: { volumeId }, caller: "b", startedAt: order, endedAt: order + 1 }) as DriverCall;
  const calls = [create(1, "v-1"), remove(2, "v-1"), remove(3, "other"), create(4, "v-2")];
  expect(volumeTimeLine({ calls, disturbances: [], lease: [] }, "pvc-1").match(/call \d: \w+ of \w/g)).toEqual([
    "call 1: CreateVolume of a",
    "call 2: DeleteVolume of b",
    "call 4: CreateVolume of a",
  ]);
});
