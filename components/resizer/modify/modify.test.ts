import { describe, expect, test } from "bun:test";
import { Secret } from "@csi-sidecars/kube";
import { step } from "@csi-sidecars/testcluster";
import { begun, type ModifyWorld, silverClaim, startModifyWorld } from "./testing/modify-world.ts";

const [markClaim, patchVolume] = ["patch persistentvolumeclaims/status data", "patch persistentvolumes pv-data"];

/** Modifies the volume of another claim: what has not happened to the first one by then does not happen. */
async function modifyWitness(world: ModifyWorld): Promise<void> {
  await world.addClaim(silverClaim({ name: "witness" }));
  await world.nameClass("bronze", "witness");
  await world.untilModified("bronze", "witness");
}

describe("a claim that names another class", () => {
  test("has its volume modified: one call, two writes of the claim, one of the volume", async () => {
    await using world = await startModifyWorld();
    await world.addClaim(silverClaim());
    await world.nameClass("gold");
    const { status } = await world.untilModified("gold");
    expect(status?.conditions).toBeUndefined();
    await world.untilEvent("VolumeModifySuccessful");
    await world.stop();
    expect(await world.events()).toEqual([
      "Normal VolumeModify: external resizer is modifying volume data with vac gold",
      "Normal VolumeModifySuccessful: external resizer modified volume data with vac gold successfully",
    ]);
    expect(world.driver.calls("ControllerModifyVolume").map(({ request }) => request)).toEqual([
      { volumeId: "handle-data", mutableParameters: { tier: "gold" }, secrets: {} },
    ]);
    expect([await world.requests(), await world.refused()]).toEqual([[markClaim, patchVolume, markClaim], []]);
    const line = world.log.lines.find(({ message }) => message === "Modified the volume");
    expect(line?.fields).toMatchObject({ claim: "default/data", volume: "pv-data", class: "gold", durationMs: expect.any(Number) });
  });

  test("may have had none", async () => {
    await using world = await startModifyWorld();
    await world.addClaim();
    await world.nameClass("gold");
    await world.untilModified("gold");
    expect(world.tiers()).toEqual(["gold"]);
  });

  test("may be there before the component", async () => {
    await using world = await startModifyWorld({ stopped: true });
    await world.addClaim(silverClaim({ spec: { volumeAttributesClassName: "gold" } }));
    await world.run();
    await world.untilModified("gold");
  });

  test("is in progress while the driver works", async () => {
    await using world = await startModifyWorld({ driver: { script: { ControllerModifyVolume: [step.waitFor("work")] } } });
    await world.addClaim(silverClaim());
    await world.nameClass("gold");
    await world.driver.called("ControllerModifyVolume");
    expect((await world.claim()).status).toMatchObject({
      modifyVolumeStatus: { status: "InProgress", targetVolumeAttributesClassName: "gold" },
      currentVolumeAttributesClassName: "silver",
      conditions: [{ type: "ModifyingVolume", status: "True", message: 'Modifying volume to "gold" is in progress.' }],
    });
    world.driver.release("work");
    await world.untilModified("gold");
  });

  test("and yet another one while the driver works: that one is taken up at once, after the first", async () => {
    await using world = await startModifyWorld({ driver: { script: { ControllerModifyVolume: [step.waitFor("work")] } } });
    await world.addClaim(silverClaim());
    await world.nameClass("gold");
    await world.driver.called("ControllerModifyVolume");
    await world.nameClass("bronze");
    world.driver.release("work");
    await world.untilModified("bronze");
    expect(world.tiers()).toEqual(["gold", "bronze"]);
  });

  test("with --extra-modify-metadata the driver is told the names of the objects", async () => {
    await using world = await startModifyWorld({ flags: { extraModifyMetadata: true } });
    await world.addClaim(silverClaim());
    await world.nameClass("gold");
    await world.untilModified("gold");
    expect(world.driver.calls("ControllerModifyVolume")[0]?.request.mutableParameters).toEqual({
      tier: "gold",
      "csi.storage.k8s.io/pvc/name": "data",
      "csi.storage.k8s.io/pvc/namespace": "default",
      "csi.storage.k8s.io/pv/name": "pv-data",
    });
  });
});

describe("nothing is done for a claim", () => {
  const other = { driver: "other.example.com", volumeHandle: "handle-data" };
  test.each<[string, Parameters<ModifyWorld["addClaim"]>[0]]>([
    ["that has the class", silverClaim()],
    ["of another driver's volume", silverClaim({ spec: { volumeAttributesClassName: "gold" }, volume: { spec: { csi: other } } })],
    [
      "of a volume that is not a CSI volume",
      { spec: { volumeAttributesClassName: "gold" }, volume: { spec: { csi: undefined, hostPath: { path: "/x" } } as never } },
    ],
    ["that is not bound", silverClaim({ spec: { volumeAttributesClassName: "gold" }, status: { phase: "Pending" } })],
    [
      "whose volume is bound to another claim",
      silverClaim({
        spec: { volumeAttributesClassName: "gold" },
        volume: { spec: { claimRef: { namespace: "default", name: "data", uid: "another" } } },
      }),
    ],
    [
      "that names no class, and the driver has refused the last one",
      {
        spec: { volumeAttributesClassName: "" },
        status: { modifyVolumeStatus: { status: "Infeasible", targetVolumeAttributesClassName: "gold" } },
      },
    ],
  ])("%s", async (_, parts) => {
    await using world = await startModifyWorld();
    await world.addClaim(parts);
    await modifyWitness(world);
    expect(world.tiers()).toEqual(["bronze"]);
    expect((await world.requests()).filter((request) => request.includes("data"))).toEqual([]);
  });
});

describe("the secret of the volume", () => {
  const annotations = {
    "volume.kubernetes.io/controller-modify-secret-name": "modify",
    "volume.kubernetes.io/controller-modify-secret-namespace": "default",
  };
  const secret = (data: Record<string, string>) => ({ metadata: { namespace: "default", name: "modify" }, data });

  test("is given to the driver", async () => {
    await using world = await startModifyWorld();
    await world.create(Secret, secret({ key: btoa("value") }));
    await world.addClaim(silverClaim({ volume: { metadata: { annotations } } }));
    await world.nameClass("gold");
    await world.untilModified("gold");
    expect(world.driver.calls("ControllerModifyVolume")[0]?.request.secrets).toEqual({ key: "value" });
  });

  test.each<[string, Record<string, string> | undefined, string]>([
    ["is missing", undefined, 'secrets "modify" not found'],
    ["is not text", { key: Buffer.from([0xff]).toString("base64") }, 'the value of "key" is not valid UTF-8'],
  ])("%s: users are told in an event and a condition, and it is read again", async (_, data, cause) => {
    await using world = await startModifyWorld();
    if (data) await world.create(Secret, secret(data));
    await world.addClaim(silverClaim({ volume: { metadata: { annotations } } }));
    await world.nameClass("gold");
    const message = `error getting secret modify in namespace default: ${cause}`;
    await world.untilEvent(`Warning VolumeModifyFailed: ${message}`);
    const { status } = await world.until((claim) => claim.status?.conditions?.some(({ type }) => type === "ModifyVolumeError"));
    expect(status?.modifyVolumeStatus).toEqual({ status: "InProgress", targetVolumeAttributesClassName: "gold" });
    expect(status?.conditions).toContainEqual(expect.objectContaining({ type: "ModifyVolumeError", reason: "Unknown", message }));
    expect(world.tiers()).toEqual([]);
    if (data) await world.admin.delete(Secret, { namespace: "default", name: "modify" });
    await world.create(Secret, secret({ key: btoa("value") }));
    const modified = await world.untilModified("gold");
    expect([modified.status?.conditions, world.tiers()]).toEqual([undefined, ["gold"]]);
  });
});

describe("a claim that somebody has begun to modify, found at the start,", () => {
  test("is continued with its target, then with the class that it names", async () => {
    await using world = await startModifyWorld({ stopped: true });
    await world.addClaim(silverClaim({ spec: { volumeAttributesClassName: "bronze" }, status: begun("InProgress", "gold") }));
    await world.run();
    await world.untilModified("bronze");
    expect(world.tiers()).toEqual(["gold", "bronze"]);
  });

  test("is continued although it names no class", async () => {
    await using world = await startModifyWorld({ stopped: true });
    await world.addClaim({ spec: { volumeAttributesClassName: "" }, status: begun("InProgress", "gold") });
    await world.run();
    await world.untilModified("gold");
    expect(world.tiers()).toEqual(["gold"]);
    expect(await world.events()).not.toContainEqual(expect.stringContaining("VolumeModify:"));
  });

  test("and refused before: it is tried once more", async () => {
    await using world = await startModifyWorld({ stopped: true });
    await world.addClaim(silverClaim({ spec: { volumeAttributesClassName: "gold" }, status: begun("Infeasible", "gold") }));
    await world.run();
    await world.untilModified("gold");
  });

  test("of another driver is left alone, and not counted", async () => {
    await using world = await startModifyWorld({ stopped: true });
    const csi = { driver: "other.example.com", volumeHandle: "h" };
    await world.addClaim(silverClaim({ status: begun("InProgress", "gold"), volume: { spec: { csi } } }));
    await world.run();
    await modifyWitness(world);
    expect(world.tiers()).toEqual(["bronze"]);
    expect(await world.metrics()).toContain('csi_sidecars_resizer_claims{operation="modify",state="uncertain"} 0');
  });
});

test("ten claims of a busy driver, three at a time: all are modified in the end", async () => {
  const script = { ControllerModifyVolume: Array(25).fill(step.fail("Aborted", "busy")) };
  await using world = await startModifyWorld({ flags: { workers: 3 }, driver: { script } });
  const names = Array.from({ length: 10 }, (_, i) => `data-${i}`);
  for (const name of names) await world.addClaim(silverClaim({ name }));
  await Promise.all(names.map((name) => world.nameClass("gold", name)));
  for (const name of names) await world.untilModified("gold", name);
  expect(world.tiers()).toHaveLength(35);
  expect(world.driver.overlaps()).toEqual([]);
});
