import { expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import * as cached from "../testing/objects.ts";
import { podMounts } from "./pod-mounts.ts";

const { signal } = new AbortController();

function startWorld(failures: string[], whyNotMounted?: string) {
  const clock = new FakeClock();
  const calls: string[] = [];
  const events: string[] = [];
  const call = (hook: string) => async () => {
    calls.push(hook);
    const failure = failures.shift();
    if (failure) throw new Error(failure);
  };
  const recorder = () => ({
    event: (about: { readonly name?: string }, type: string, reason: string, message: string) =>
      void events.push([type, about.name, reason, message].join(" ")),
  });
  const hooks = { mount: call("mount"), unmount: call("unmount"), whyNotMounted: () => whyNotMounted };
  return { clock, calls, events, mounts: podMounts({ clock, recorder }, hooks) };
}

test("a mount that fails is told in the pod's events and tried again after a pause that grows", async () => {
  const { clock, calls, events, mounts } = startWorld(["no disk", "no disk"]);
  const pod = cached.pod(["data"]);
  expect(await mounts.mount(pod, signal)).toMatchObject({ afterMs: 500 });
  expect(await mounts.mount(pod, signal)).toMatchObject({ afterMs: 500 });
  await clock.advance(500);
  expect(await mounts.mount(pod, signal)).toMatchObject({ afterMs: 1000 });
  await clock.advance(1000);
  expect(await mounts.mount(pod, signal)).toBeUndefined();
  expect(calls).toEqual(["mount", "mount", "mount"]);
  expect(events).toEqual(["Warning app FailedMount no disk", "Warning app FailedMount no disk"]);
});

test("a pod that is deleted while its mount fails is unmounted at once", async () => {
  const { calls, events, mounts } = startWorld(["no disk", "busy"]);
  const pod = cached.pod(["data"]);
  await mounts.mount(pod, signal);
  expect(await mounts.unmount(pod, signal)).toMatchObject({ afterMs: 500 });
  expect(calls).toEqual(["mount", "unmount"]);
  expect(events.at(-1)).toBe("Warning app FailedUnmount busy");
});

test("a stop is no failure of the driver", async () => {
  const { events, mounts } = startWorld(["cancelled"]);
  await expect(mounts.mount(cached.pod(["data"]), AbortSignal.abort())).rejects.toThrow("cancelled");
  expect(events).toEqual([]);
});

test("a pod whose volumes cannot be mounted runs, and its events say so", async () => {
  const { calls, events, mounts } = startWorld([], "there is no node service");
  expect(await mounts.mount(cached.pod(["data"]), signal)).toBeUndefined();
  expect(await mounts.mount(cached.pod([]), signal)).toBeUndefined();
  expect(calls).toEqual(["mount"]);
  expect(events).toEqual(["Warning app VolumeNotMounted there is no node service"]);
});
