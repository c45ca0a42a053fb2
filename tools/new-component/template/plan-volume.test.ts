import { expect, test } from "bun:test";
import type { Volume } from "./fields.ts";
import { driverAnnotation, planVolume } from "./plan-volume.ts";

const ours = "driver.example.com";
const volume = (driver: string, metadata: object = {}): Volume =>
  ({ metadata: { name: "pv", ...metadata }, spec: { csi: { driver } } }) as Volume;

test.each([
  ["one of the driver", volume(ours), true],
  ["one that is marked", volume(ours, { annotations: { [driverAnnotation]: ours } }), false],
  ["one that is marked by another driver", volume(ours, { annotations: { [driverAnnotation]: "other" } }), true],
  ["one of another driver", volume("other"), false],
  ["one that is being deleted", volume(ours, { deletionTimestamp: "2026-01-01T00:00:00Z" }), false],
])("whether a volume is marked: %s", (_, subject, isMarked) => {
  expect(planVolume(subject, ours) !== undefined).toBe(isMarked);
});
