import type { ProvisionerComponentContext } from "../flags.ts";
import type { Labels } from "../topology/term.ts";

/** The node of an instance that serves its own node only. */
export interface OwnNode {
  /** `NODE_NAME` */
  readonly name: string;
  /** What the driver says about where the node is. */
  readonly labels: Labels;
  /** `--node-deployment-immediate-binding` */
  readonly immediateBinding: boolean;
  /** `--node-deployment-base-delay` and `-max-delay` */
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
}

/** Asks environment and driver where this instance runs; `undefined` unless it is one of a node deployment. */
export async function ownNode(context: ProvisionerComponentContext): Promise<OwnNode | undefined> {
  const { flags, env, driver } = context;
  if (!flags.nodeDeployment) return undefined;
  const name = env.NODE_NAME;
  if (!name) throw new Error(`The NODE_NAME environment variable must be set when using --${context.spelled("node-deployment")}`);
  const { accessibleTopology } = await driver.client.node.nodeGetInfo({}, { timeoutMs: flags.timeout });
  return {
    name,
    labels: accessibleTopology?.segments ?? {},
    immediateBinding: flags.nodeDeploymentImmediateBinding,
    baseDelayMs: flags.nodeDeploymentBaseDelay,
    maxDelayMs: flags.nodeDeploymentMaxDelay,
  };
}
