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

/** Why the environment does not say where this instance runs. */
export function nodeProblems(
  { nodeDeployment }: { readonly nodeDeployment: boolean },
  { env, spelled }: Pick<ProvisionerComponentContext, "env" | "spelled">,
): readonly string[] {
  if (!nodeDeployment || env.NODE_NAME) return [];
  return [`The NODE_NAME environment variable must be set when using --${spelled("node-deployment")}`];
}

/** Asks environment and driver where this instance runs; `undefined` unless it is one of a node deployment. */
export async function ownNode(context: ProvisionerComponentContext): Promise<OwnNode | undefined> {
  const { flags, env, driver } = context;
  if (!flags.nodeDeployment) return undefined;
  const [problem] = nodeProblems(flags, context);
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
