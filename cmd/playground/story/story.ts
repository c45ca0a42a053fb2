import { Refusal } from "../refusal.ts";
import type { Parts } from "../start-parts.ts";
import { driverKilled } from "./driver-killed.ts";
import { podReplaced } from "./pod-replaced.ts";
import { sidecarKilled, sidecarKilledHalfway } from "./sidecar-killed.ts";
import type { Step } from "./step.ts";
import { firstSteps, lastSteps } from "./volume-steps.ts";
import { zoneEnd, zoneSteps } from "./zone-steps.ts";

/** What is played, and what is not. */
export interface Story {
  readonly steps: readonly Step[];
  /** Said before the first step. */
  readonly remarks: readonly string[];
}

/** A volume from its class to its end, with everything killed on the way that is ours to kill. */
export async function storyOf(parts: Parts): Promise<Story> {
  const { driver, nodes } = parts;
  const { hostpath, facts } = driver;
  if (!facts.provisions) throw new Refusal(`--demo needs a driver that makes volumes: ${facts.name} has no CREATE_DELETE_VOLUME`);
  const before = await driver.volumeIds();
  const zoned = nodes.some(({ zone }) => zone !== undefined);
  const interruptions = hostpath
    ? [...driverKilled(parts, hostpath.process), sidecarKilledHalfway(parts, hostpath.control)]
    : [sidecarKilled(parts)];
  return {
    steps: [
      ...firstSteps(parts),
      ...(hostpath ? [podReplaced(parts)] : []),
      ...(zoned ? zoneSteps(parts) : []),
      ...interruptions,
      ...lastSteps(parts, before),
      ...(zoned ? [zoneEnd(parts)] : []),
    ],
    remarks: [
      ...(hostpath ? [] : ["The driver is not killed in this story: its process is yours."]),
      ...(before ? [] : [`${facts.name} cannot list its volumes: that it is empty in the end is not seen.`]),
    ],
  };
}
