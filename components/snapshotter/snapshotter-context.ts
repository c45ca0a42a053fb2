import type { Clock, Logger } from "@csi-sidecars/base";
import type { DriverClient } from "@csi-sidecars/csi";
import type { Client, EventRecorder } from "@csi-sidecars/kube";
import type { DriverInfo } from "./driver-capabilities.ts";
import type { SnapshotterComponentContext } from "./flags.ts";

/** What the loops of single and of group snapshots share. */
export interface SnapshotterContext {
  readonly driver: DriverInfo;
  readonly csi: Pick<DriverClient, "controller" | "groupController">;
  /** `--timeout`: of one operation, however many calls it consists of. */
  readonly timeoutMs: number;
  readonly kube: Client;
  /** `--extra-create-metadata` */
  readonly extraMetadata: boolean;
  /** Where an instance serves one node only (`--node-deployment`): contents that are labelled with it. */
  readonly nodeName: string | undefined;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly log: Logger;
}

export function snapshotterContext(context: SnapshotterComponentContext, driver: DriverInfo): SnapshotterContext {
  const { flags, env, kube, clock, log } = context;
  return {
    csi: context.driver.client,
    timeoutMs: flags.timeout,
    extraMetadata: flags.extraCreateMetadata,
    nodeName: flags.nodeDeployment ? env.NODE_NAME : undefined,
    recorder: context.events(`csi-snapshotter ${driver.name}`),
    ...{ driver, kube, clock, log },
  };
}
