import { describe, expect, test } from "bun:test";
import { cachedClaim, cachedVolume } from "../testing/objects.ts";
import { capacityPatch, noteRemovalPatch } from "./volume-patches.ts";

const note = "volume.alpha.kubernetes.io/pre-resize-capacity";
const uid = "uid-of-pv-data";
const capacity = { capacity: { storage: "2Gi" } };
const noted = (size: string) => ({ metadata: { annotations: { [note]: size } } });
const of = (storage: string) => ({ spec: { capacity: { storage } } });

describe("capacityPatch", () => {
  const patch = (volume: object, nodeExpansionRequired: boolean, annotatesSize = true) =>
    capacityPatch(
      cachedVolume({ volume }),
      cachedClaim({ capacity: "1024Mi" }),
      { capacity: "2Gi", nodeExpansionRequired },
      { annotatesSize },
    )?.body;

  test.each<[string, object | undefined, object | undefined]>([
    ["the node has nothing to do", patch({}, false), { metadata: { uid }, spec: capacity }],
    ["it has", patch({}, true), { metadata: { uid, annotations: { [note]: "1Gi" } }, spec: capacity }],
    ["it has, and the gate is off", patch({}, true, false), { metadata: { uid }, spec: capacity }],
    ["the size of its file system is noted already", patch(noted("512Mi"), true), { metadata: { uid }, spec: capacity }],
    ["the volume has the capacity", patch(of("2048Mi"), false), undefined],
    ["the volume has the capacity and the note", patch({ ...of("2Gi"), ...noted("1Gi") }, true), undefined],
    [
      "the volume has the capacity without the note",
      patch(of("2Gi"), true),
      { metadata: { uid, annotations: { [note]: "1Gi" } }, spec: capacity },
    ],
    ["the volume has more", patch(of("3Gi"), false), { metadata: { uid }, spec: capacity }],
  ])("%s", (_what, body, expected) => {
    expect(body).toEqual(expected);
  });
});

describe("noteRemovalPatch", () => {
  const removal = { metadata: { uid, annotations: { [note]: null } } };
  test.each<[string, string, object, object | undefined]>([
    ["the claim has all of it", "2Gi", { ...of("2Gi"), ...noted("1Gi") }, removal],
    ["the claim has more", "3Gi", { ...of("2Gi"), ...noted("1Gi") }, removal],
    ["the claim has less", "1Gi", { ...of("2Gi"), ...noted("1Gi") }, undefined],
    ["nothing is noted", "2Gi", of("2Gi"), undefined],
  ])("%s", (_what, capacity, volume, expected) => {
    expect(noteRemovalPatch(cachedVolume({ volume }), cachedClaim({ capacity }))?.body).toEqual(expected as never);
  });
});
