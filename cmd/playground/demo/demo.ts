import { firstNode } from "../cluster/nodes.ts";
import type { Playground } from "../playground.ts";
import { UserError } from "../user-error.ts";
import { unknownDataSource } from "./data-source-step.ts";
import { claimGrows, classChanges, requestTakenBack } from "./growth-steps.ts";
import { volumeAilsAndRecovers } from "./health-steps.ts";
import { driverKilled, sidecarKilled, sidecarKilledDuringCreate } from "./kill-steps.ts";
import { snapshotSteps } from "./snapshot-steps.ts";
import type { Step } from "./step.ts";
import { firstSteps, lastSteps, podReplaced } from "./volume-steps.ts";
import { zoneEnd, zoneSteps } from "./zone-steps.ts";

/** The steps to run. */
export interface Demo {
  readonly steps: readonly Step[];
  /** Printed before the first step. */
  readonly remarks: readonly string[];
}

/** The life of a volume from its class to its deletion; it grows, gets other attributes, ails and recovers, and is snapshot and restored. The sidecar is killed on the way, and the driver if it is ours. */
export async function demoFor(playground: Playground): Promise<Demo> {
  const { driver, nodes, nodeService } = playground;
  const { hostpath, info } = driver;
  if (!info.provisions) throw new UserError(`--demo needs a driver that provisions volumes: ${info.name} has no CREATE_DELETE_VOLUME`);
  const before = await driver.volumeIds();
  const zoned = nodes.some(({ zone }) => zone !== undefined);
  const interruptions = hostpath
    ? [...driverKilled(playground, hostpath.process), sidecarKilledDuringCreate(playground, hostpath.control)]
    : [sidecarKilled(playground)];
  return {
    steps: [
      ...firstSteps(playground),
      ...(hostpath ? [podReplaced(playground)] : []),
      ...(info.expands ? [claimGrows(playground)] : []),
      ...(hostpath ? [requestTakenBack(playground), classChanges(playground, hostpath)] : []),
      ...(hostpath ? volumeAilsAndRecovers(playground, hostpath.control) : []),
      unknownDataSource(playground),
      ...(info.snapshots ? snapshotSteps(playground) : []),
      ...(zoned ? zoneSteps(playground) : []),
      ...interruptions,
      ...lastSteps(playground, before),
      ...(zoned ? [zoneEnd(playground)] : []),
    ],
    remarks: [
      ...(hostpath ? [] : ["The demo does not kill your driver."]),
      ...(nodeService.whyNotMounted(firstNode) === undefined && !hostpath
        ? ["The node service of your driver is called; if it has not the privileges to mount, add --controller-only."]
        : []),
      ...(before ? [] : [`${info.name} cannot list its volumes: the demo cannot check that it is empty at the end.`]),
    ],
  };
}
