import type { HostpathControl } from "../driver/hostpath-control.ts";
import { eventually } from "../eventually.ts";
import type { Parts } from "../start-parts.ts";
import type { Step } from "./step.ts";
import { boundVolume, createClaim } from "./story-objects.ts";
import { storyClass } from "./volume-steps.ts";

const claimName = "halfway";

/** The sidecar is killed between the driver's work and its answer: the next one must find the volume, not make another. */
export const sidecarKilledHalfway = (parts: Parts, control: HostpathControl): Step => ({
  title: `Create the claim "${claimName}", and kill the sidecar (-9) when the driver has made the volume but not yet said so`,
  async act(signal) {
    await control.setRules([{ method: "CreateVolume", phase: "after", times: 1, action: { hang: true } }]);
    await createClaim(parts, claimName, storyClass);
    const underWay = async () => (await control.calls("CreateVolume")).find(({ endNs }) => endNs === undefined);
    await eventually("CreateVolume under way", underWay, { signal });
    await parts.sidecar.process.kill();
  },
  expected: "the new process to find the volume, bind the claim to it and leave no second one",
  async look() {
    const name = await boundVolume(parts, claimName);
    if (name === undefined) return undefined;
    const made = (await control.volumes()).filter((volume) => volume.name === name).length;
    const asked = (await control.calls("CreateVolume")).filter(({ request }) => request.name === name).length;
    return made === 1 && asked > 1 ? `bound to ${name}; asked for ${asked} times, made once` : undefined;
  },
});

/** The same with a driver that cannot be held: when the sidecar dies is left to chance, that it recovers is not. */
export function sidecarKilled(parts: Parts): Step {
  const { driver, sidecar } = parts;
  let before: number | undefined;
  let killed: number | undefined;
  return {
    title: `Create the claim "${claimName}", and kill the sidecar (-9) at once`,
    async act() {
      before = (await driver.volumeIds())?.size;
      killed = sidecar.process.pid;
      await createClaim(parts, claimName, storyClass);
      await sidecar.process.kill();
    },
    expected: "a new process to bind the claim, and one volume more in the driver",
    async look() {
      const name = await boundVolume(parts, claimName);
      if (name === undefined || sidecar.process.pid === killed) return undefined;
      const after = (await driver.volumeIds())?.size;
      if (before === undefined || after === undefined) return `bound to ${name}`;
      return after === before + 1 ? `bound to ${name}; made once` : undefined;
    },
  };
}
