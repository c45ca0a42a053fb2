import { type Component, type PolicyRule, type Program, readCommandLine } from "@csi-sidecars/host";
import { electionRules } from "@csi-sidecars/host/sub-commands";
import { type Environment, namespaceOf } from "@csi-sidecars/kube";
import type { Cluster, TestUser } from "../cluster/cluster.ts";
import { grantRole } from "../cluster/grant-role.ts";

export interface ComponentUserOptions {
  readonly argv: readonly string[];
  readonly env?: Environment;
  /** Instead of what the descriptors declare for the whole cluster. */
  readonly rules?: readonly PolicyRule[];
}

/** A user that may do what the components declare that they need with these flags, and nothing else. */
export async function componentUser(
  cluster: Cluster,
  form: Program["form"],
  components: readonly Component[],
  { argv, env = {}, rules }: ComponentUserOptions,
): Promise<TestUser> {
  const [component] = components;
  if (!component) throw new Error("no component");
  const program: Program =
    form === "all-in-one" ? { form, name: "csi-sidecars", components } : { form, name: component.standalone, component };
  const command = readCommandLine(program, argv);
  if (command.asks !== "run") throw new Error(command.asks === "nothing" ? command.misuse : "the flags ask for help");
  const { settings } = command;
  const needed = components.map((each) => each.rbac(settings.of(each)));
  const namespace = settings.process.leaderElectionNamespace || namespaceOf(env);
  const namespaced = [...needed.flatMap((each) => each.namespaced), ...(settings.process.leaderElection ? electionRules : [])];
  const user = cluster.newUser();
  await grantRole(cluster.admin, user.name, rules ?? needed.flatMap((each) => each.cluster));
  if (namespaced.length > 0) await grantRole(cluster.admin, user.name, namespaced, namespace);
  return user;
}
