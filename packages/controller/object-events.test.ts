import { expect, test } from "bun:test";
import { PersistentVolume, PersistentVolumeClaim } from "@csi-sidecars/kube";
import { objectEvents } from "./object-events.ts";

test("an event names its object with the kind that caches leave out", () => {
  const told: unknown[] = [];
  const recorder = { event: (...event: unknown[]) => void told.push(event) };
  const metadata = { name: "data", namespace: "team", uid: "u", resourceVersion: "7" };
  objectEvents(recorder, PersistentVolumeClaim).warning({ metadata }, "Failed", "no room");
  objectEvents(recorder, PersistentVolume).normal({ metadata: { name: "pv", uid: "v", resourceVersion: "8" } }, "Done", "made");
  expect(told).toEqual([
    [{ apiVersion: "v1", kind: "PersistentVolumeClaim", ...metadata }, "Warning", "Failed", "no room"],
    [
      { apiVersion: "v1", kind: "PersistentVolume", name: "pv", namespace: undefined, uid: "v", resourceVersion: "8" },
      "Normal",
      "Done",
      "made",
    ],
  ]);
});
