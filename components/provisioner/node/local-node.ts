import { missingNodeEnvironment } from "@csi-sidecars/controller";
import type { ProvisionerComponentContext } from "../flags.ts";
import type { Labels } from "../topology/term.ts";

/** The node of an instance that serves only that node (`--node-deployment`). */
export interface LocalNode {
  /** `NODE_NAME` */
  readonly name: string;
  /** The node's topology, as the driver reports it. */
  readonly labels: Labels;
  /** `--node-deployment-immediate-binding` */
  readonly immediateBinding: boolean;
  /** `--node-deployment-base-delay` and `-max-delay` */
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
}

/** Asks the environment and the driver where this instance runs; `undefined` unless it is one of a node deployment. */
export async function findLocalNode(context: ProvisionerComponentContext): Promise<LocalNode | undefined> {
  const { flags, env, driver } = context;
  if (!flags.nodeDeployment) return undefined;
  const [problem] = missingNodeEnvironment(flags, context);
  if (problem !== undefined) throw new Error(problem);
  const { accessibleTopology } = await driver.client.node.nodeGetInfo({}, { timeoutMs: flags.timeout });
  return {
    name: env.NODE_NAME ?? "",
    labels: accessibleTopology?.segments ?? {},
    immediateBinding: flags.nodeDeploymentImmediateBinding,
    baseDelayMs: flags.nodeDeploymentBaseDelay,
    maxDelayMs: flags.nodeDeploymentMaxDelay,
  };
}
