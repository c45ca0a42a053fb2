import { basename } from "node:path";
import { describeCommands } from "@csi-sidecars/diagnose/commands";
import { buildVersion, leadingWordsAsFlags, type SidecarProgram } from "@csi-sidecars/host";
import { commands, startReport } from "./commands.ts";
import { components, separate } from "./components.ts";

/** The program that was called, and the arguments that are left for it. */
export interface Call {
  readonly program: SidecarProgram;
  readonly argv: readonly string[];
}

/**
 * One file is every sidecar: called as `csi-attacher`, or as `csi-sidecars csi-attacher`, it is that one as upstream ships it;
 * otherwise it is the all-in-one.
 */
export function chooseProgram(calledAs: string, argv: readonly string[]): Call {
  const byName = individual(basename(calledAs).replace(/\.exe$/i, ""));
  if (byName) return { program: byName, argv };
  const [first = "", ...rest] = argv;
  const byCommand = individual(first);
  if (byCommand) return { program: byCommand, argv: leadingWordsAsFlags(rest) };
  return {
    program: {
      ...buildVersion,
      name: "csi-sidecars",
      form: "all-in-one",
      about,
      components,
      separate,
      commands: { ...described, ...programs },
      startReport,
    },
    argv,
  };
}

const described = describeCommands(commands);
const alone = (component: string) => `The ${component} alone, as upstream ships it.`;
const programs = Object.fromEntries(components.map(({ name, standalone }) => [standalone, alone(name)]));

const about = `The Kubernetes sidecars of one CSI driver in one process.

Beside the controller of a driver:
  csi-sidecars --csi-address=/csi/csi.sock --controllers=attacher,provisioner,livenessprobe --leader-election --http-endpoint=:9808
On each node:
  csi-sidecars --csi-address=/csi/csi.sock --controllers=livenessprobe,node-driver-registrar --kubelet-registration-path=/var/lib/kubelet/plugins/<driver>/csi.sock
Before that, with the same flags: what is missing in the cluster, and why a claim waits:
  csi-sidecars check --kubeconfig=<file> --controllers=attacher,provisioner
  csi-sidecars why pvc <namespace>/<name> --kubeconfig=<file>`;

function individual(name: string): SidecarProgram | undefined {
  const component = components.find(({ standalone }) => standalone === name);
  if (!component) return undefined;
  const others = components.filter((other) => other !== component);
  return { ...buildVersion, name, form: "individual", about: alone(component.name), components: [component], others, commands: described };
}
