import { expect, test } from "bun:test";
import { Registry } from "@csi-sidecars/base/prometheus";
import { FakeClock } from "@csi-sidecars/base/testing";
import type { Invocation } from "@csi-sidecars/csi";
import { readSamples } from "../activity/samples.ts";
import { callsInFlight } from "./calls-in-flight.ts";

test("calls that are not answered are counted with the age of the oldest, and no longer once they have ended", async () => {
  const clock = new FakeClock();
  const registry = new Registry();
  const answers: PromiseWithResolvers<object>[] = [];
  const invoke = callsInFlight(
    registry,
    clock,
  )(() => {
    const answer = Promise.withResolvers<object>();
    answers.push(answer);
    return answer.promise;
  });
  const call = { path: "/csi.v1.Controller/CreateVolume" } as Invocation;
  const metrics = ["csi_sidecars_driver_calls_in_flight", "csi_sidecars_driver_longest_call_seconds"];
  const counted = async () => (await readSamples([registry], metrics)).map(({ labels, value }) => [labels.method_name, value]);

  const first = invoke(call, {});
  await clock.advance(30_000);
  const second = invoke(call, {});
  await clock.advance(10_000);
  expect(await counted()).toEqual([
    [call.path, 2],
    [call.path, 40],
  ]);

  answers[0]?.reject(new Error("no room"));
  await expect(first).rejects.toThrow("no room");
  expect(await counted()).toEqual([
    [call.path, 1],
    [call.path, 10],
  ]);

  answers[1]?.resolve({});
  await second;
  expect(await counted()).toEqual([
    [call.path, 0],
    [call.path, 0],
  ]);
});
