import { expect, test } from "bun:test";
import { advanceUntil, FakeClock } from "@csi-sidecars/base/testing";
import { type Client, type Patch, strategicMergePatch } from "@csi-sidecars/kube";
import { silverClaim, startModifyWorld } from "./testing/modify-world.ts";

/** As an API server whose gate VolumeAttributesClass was switched off: it drops the field. */
function dropping(client: Client): Client {
  const kept = ({ body }: Patch) => strategicMergePatch(JSON.parse(JSON.stringify(body, isKept)));
  return { ...client, patch: (resource, ref, patch, options) => client.patch(resource, ref, kept(patch), options) };
}

const isKept = (field: string, value: unknown) => (field === "modifyVolumeStatus" ? undefined : value);

test("an API server that does not keep how far a modification is, is asked again after the backoff, and the driver is not", async () => {
  const clock = new FakeClock();
  await using world = await startModifyWorld({ clock, wrapClient: dropping });
  await world.addClaim(silverClaim());
  await world.nameClass("gold");
  await world.untilEvent("Warning VolumeModifyFailed: the API server does not keep status.modifyVolumeStatus of the claim");
  const attempts = () => world.log.lines.filter(({ message }) => message.startsWith("Sync failed")).length;
  await world.untilTrue(() => attempts() === 1);
  await advanceUntil(clock, "the next attempt", () => attempts() === 2, { stepMs: 1 });
  expect(clock.monotonic()).toBeGreaterThanOrEqual(10);
  expect(await world.writes()).toBe(2);
  expect(world.tiers()).toEqual([]);
});
