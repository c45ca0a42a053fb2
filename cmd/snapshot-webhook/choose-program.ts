import { basename } from "node:path";
import { commonCommands, describeCommands } from "@csi-sidecars/diagnose/commands";
import { buildVersion, type Component, readCommandLine, type SidecarProgram } from "@csi-sidecars/host";
import type { Environment } from "@csi-sidecars/kube";
import { conversionWebhook, snapshotWebhook, validationWebhook } from "@csi-sidecars/snapshot-webhook";

/** The program that was called, and the arguments that are left for it. */
export interface Call {
  readonly program: SidecarProgram;
  readonly argv: readonly string[];
}

/** Upstream's programs, of which the file has the names. */
export const individual: readonly Component[] = [conversionWebhook, validationWebhook];

/**
 * One file is both webhooks: called by the name of one of upstream's programs, or with it as the first argument, it is that one;
 * otherwise both. The classes of a cluster are asked for only where there is a way to.
 */
export function chooseProgram(calledAs: string, argv: readonly string[], env: Environment): Call {
  const named = (name: string) => individual.find(({ standalone }) => standalone === name);
  const byName = named(basename(calledAs).replace(/\.exe$/i, ""));
  if (byName) return { program: programOf(byName), argv };
  const [first = "", ...rest] = argv;
  const byCommand = named(first);
  if (byCommand) return { program: programOf(byCommand), argv: rest };
  return { program: programOf(snapshotWebhook(reachesApiServer(argv, env)), both, programs), argv };
}

const commands = describeCommands(commonCommands);
const both =
  "The webhooks of snapshots: converts group snapshot contents between versions, and refuses a second default class of a driver.";
const alone = "That webhook alone, as upstream ships it.";
const programs = Object.fromEntries(individual.map(({ standalone }) => [standalone, alone]));

function programOf(component: Component, about = alone, more: Readonly<Record<string, string>> = {}): SidecarProgram {
  const name = component.standalone;
  return { ...buildVersion, name, form: "individual", about, components: [component], commands: { ...commands, ...more } };
}

function reachesApiServer(argv: readonly string[], env: Environment): boolean {
  const [first = ""] = argv;
  // Sub-commands are about the cluster, and have flags of their own.
  if (env.KUBERNETES_SERVICE_HOST || Object.hasOwn(commands, first)) return true;
  const component = snapshotWebhook(true);
  const line = readCommandLine({ form: "individual", name: component.standalone, component }, argv);
  return line.asks === "run" && line.settings.process.kubeconfig !== "";
}
