import type { DriverClient } from "@csi-sidecars/csi";
import type { PlannedNode } from "../cluster/planned-nodes.ts";
import type { Supervised } from "../processes/supervised.ts";
import type { DriverFacts, NodeFacts } from "./driver-facts.ts";
import type { HostpathControl } from "./hostpath-control.ts";

/** The CSI driver that the sidecar works for. */
export interface Driver extends AsyncDisposable {
  readonly facts: DriverFacts;
  /** The path of its socket. */
  readonly socket: string;
  /** What can be done with the hostpath driver, whose process is ours; absent for somebody's own driver. */
  readonly hostpath?: OurDriver;
  /** What its node half would say on that node. */
  nodeFacts(node: PlannedNode): NodeFacts;
  /** How it is at this moment. */
  look(): Promise<DriverLook>;
  /** The ids of all its volumes; `undefined` where it cannot list them. */
  volumeIds(): Promise<ReadonlySet<string> | undefined>;
}

export interface OurDriver {
  readonly process: Supervised;
  readonly control: HostpathControl;
  readonly client: DriverClient;
}

export interface DriverLook {
  readonly answers: boolean;
  /** How many volumes it has, where that is known without asking it. */
  readonly volumes?: number;
}
