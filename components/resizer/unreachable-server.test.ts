import { expect, test } from "bun:test";
import { type Client, Secret } from "@csi-sidecars/kube";
import { type CrashPoint, connectionReset, crashAtEveryStep, interceptedClient, type Script, step } from "@csi-sidecars/testcluster";
import { silverClaim, startModifyWorld } from "./modify/testing/modify-world.ts";
import { driverName, handleOf } from "./testing/objects.ts";
import { expandingAlone } from "./testing/resizer-world.ts";

/* A claim grows and gets another class, and the API server is out of reach at one request: whichever, before it arrives or after. */

/** Each of the many runs is slow on a real server, which all tests share: there only some of them are made. */
const runs = process.env.TESTCLUSTER === "real" ? { stride: 3 } : { atOnce: 6 };
const secret = { namespace: "default", name: "key" };
const annotations = {
  "volume.kubernetes.io/controller-modify-secret-name": secret.name,
  "volume.kubernetes.io/controller-modify-secret-namespace": secret.namespace,
};
const volume = {
  metadata: { annotations },
  spec: { csi: { driver: driverName, volumeHandle: handleOf("data"), controllerExpandSecretRef: secret } },
};

/** The component's requests; those of its caches, events and election have clients of their own. */
const unreachable =
  (outage: CrashPoint) =>
  (client: Client, { name }: { readonly name: string }) =>
    ["informers", "events", "leader-election"].includes(name)
      ? client
      : interceptedClient(client, async (verb, resource, send) => {
          outage.steps.push(`${verb} ${resource.plural}`);
          if (outage.steps.length !== outage.nth) return send();
          if (outage.when === "after") await send();
          throw connectionReset();
        });

/** Returns what users were warned of. */
async function growAndModify(outage: CrashPoint, script: Script, calls: number): Promise<readonly string[]> {
  await using world = await startModifyWorld({ wrapClient: unreachable(outage), driver: { capabilities: expandingAlone, script } });
  await world.create(Secret, { metadata: secret, stringData: { token: "value" } });
  await world.addClaim(silverClaim({ volume }));
  await world.patchClaim({ spec: { resources: { requests: { storage: "2Gi" } }, volumeAttributesClassName: "gold" } });
  await world.untilModified("gold");
  const { status } = await world.until((claim) => claim.status?.capacity?.storage === "2Gi" && !claim.status.conditions);
  expect([status?.allocatedResourceStatuses, (await world.volume()).spec?.capacity]).toEqual([undefined, { storage: "2Gi" }]);
  await world.untilEvent("VolumeResizeSuccessful");
  await world.untilEvent("VolumeModifySuccessful");
  await world.stop();
  expect([world.asked().length, world.tiers().length]).toEqual([calls, calls]);
  return (await world.events()).filter((event) => event.startsWith("Warning"));
}

test("the driver is called once for each, and nobody is warned", async () => {
  await crashAtEveryStep(async (outage) => expect(await growAndModify(outage, {}, 1)).toEqual([]), runs);
}, 120_000);

test("the driver fails once: it is called once more for each", async () => {
  const script = { ControllerExpandVolume: [step.fail("Internal", "no")], ControllerModifyVolume: [step.fail("Internal", "no")] };
  await crashAtEveryStep(async (outage) => {
    const warnings = await growAndModify(outage, script, 2);
    for (const reason of ["VolumeResizeFailed", "VolumeModifyFailed"])
      expect(warnings.filter((warning) => warning.includes(reason))).toEqual([expect.stringContaining("code = Internal desc = no")]);
  }, runs);
}, 120_000);
