import { describe, expect, test } from "bun:test";
import type { Claim, Volume } from "../fields.ts";
import { claim, claimRef, volume } from "../testing/objects.ts";
import { planVolume } from "./plan-volume.ts";

const phase = (to: string) => ({ target: "volume", part: "status", patch: { status: { phase: to, message: null } } });
const byController = { "pv.kubernetes.io/bound-by-controller": "yes" };
const provisioned = { "pv.kubernetes.io/provisioned-by": "csi.example.com" };
const elsewhere = claim({ spec: { volumeName: "pv-2" } });
const inPhase = (present: NonNullable<Volume["status"]>["phase"], spec: object = {}) =>
  volume({ spec: { claimRef, ...spec }, status: { phase: present } });

type Row = readonly [name: string, volume: Volume, claim: Claim | undefined, patches: readonly object[], reasons: readonly string[]];

const rows: readonly Row[] = [
  ["a new volume becomes available", volume({ status: { phase: "Pending" } }), undefined, [phase("Available")], []],
  [
    "reserved without uid is available",
    inPhase("Pending", { claimRef: { name: "data", namespace: "default" } }),
    claim(),
    [phase("Available")],
    [],
  ],
  ["its claim is not bound yet: the claim's plan binds", inPhase("Pending"), claim(), [], []],
  ["bound to each other", inPhase("Pending"), claim({ spec: { volumeName: "pv-1" } }), [phase("Bound")], []],
  ["nothing to do", inPhase("Bound"), claim({ spec: { volumeName: "pv-1" } }), [], []],
  ["the claim is gone", inPhase("Bound"), undefined, [phase("Released")], []],
  ["the claim was recreated", inPhase("Bound"), claim({ metadata: { uid: "new" } }), [phase("Released")], []],
  ["a failed deletion stays visible", inPhase("Failed"), undefined, [], []],
  ["retained volumes are released too", inPhase("Bound", { persistentVolumeReclaimPolicy: "Retain" }), undefined, [phase("Released")], []],
  [
    "recycling fails",
    inPhase("Released", { persistentVolumeReclaimPolicy: "Recycle" }),
    undefined,
    [{ target: "volume", part: "status", patch: { status: { phase: "Failed", message: "No recycler plugin found for the volume!" } } }],
    ["VolumeFailedRecycle"],
  ],
  [
    "provisioned for a claim that took another volume",
    volume({ metadata: { annotations: provisioned }, spec: { claimRef }, status: { phase: "Bound" } }),
    elsewhere,
    [phase("Released")],
    [],
  ],
  [
    "chosen by us for a claim that took another volume",
    volume({ metadata: { annotations: byController }, spec: { claimRef }, status: { phase: "Bound" } }),
    elsewhere,
    [
      {
        target: "volume",
        part: "object",
        patch: { metadata: { annotations: { "pv.kubernetes.io/bound-by-controller": null } }, spec: { claimRef: null } },
      },
      phase("Available"),
    ],
    [],
  ],
  [
    "reserved by a user for a claim that took another volume",
    inPhase("Bound"),
    elsewhere,
    [{ target: "volume", part: "object", patch: { spec: { claimRef: { uid: null } } } }, phase("Available")],
    [],
  ],
  [
    "block volume for a file system claim",
    inPhase("Available", { volumeMode: "Block" }),
    claim(),
    [],
    ["VolumeMismatch", "VolumeMismatch"],
  ],
];

describe("planVolume", () => {
  test.each(rows)("%s", (_name, given, of, patches, reasons) => {
    const plan = planVolume(given, of);
    expect(plan.patches).toEqual(patches as typeof plan.patches);
    expect(plan.events.map(({ reason }) => reason)).toEqual([...reasons]);
  });
});
