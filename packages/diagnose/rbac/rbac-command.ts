import { choice, exitCode, type FlagTable, type Gates, type Settings, type SidecarProgram, text } from "@csi-sidecars/host";
import {
  type CommandResult,
  neededRules,
  objectName,
  readSubCommand,
  type SubCommand,
  tolerantGates,
} from "@csi-sidecars/host/sub-commands";
import { type Grant, grantsFor } from "./grants.ts";
import { renderHelm, renderYaml } from "./manifests.ts";
import { type Reader, readerRules, readers } from "./reader-rules.ts";

const command = {
  name: "rbac",
  examples: [
    "rbac --leader-election --namespace=my-driver --service-account=my-driver-controller | kubectl apply -f -",
    "rbac --for=why --namespace=my-driver --service-account=my-driver-controller",
  ],
  uses: ["controllers", "feature-gates", "leader-election"],
  flags: {
    for: choice(["run", ...readers], "run", "run: the program itself; why, check, audit: whoever calls that command."),
    format: choice(["yaml", "helm"], "yaml", "yaml: manifests to apply; helm: a template for a chart."),
    namespace: text("default", "Namespace of the pod and its service account.", { check: objectName }),
    "service-account": text("", "Service account of the pod; the program's name if empty.", { check: objectName }),
    "name-prefix": text(
      "",
      "Prefix of the names of all roles; the program's name if empty. Use a different one for each driver in a cluster.",
      {
        check: objectName,
      },
    ),
  },
  help: (program: string) =>
    `Prints the minimal roles that ${program} needs with the given flags (--controllers and those that enable or disable features).\n` +
    "With --for=why, --for=check or --for=audit: the role of a reader, with which nothing is left unread by that command.\n" +
    "Exit code 0: printed; 1: --controllers names an unknown controller, or none; 2: usage error.",
} satisfies SubCommand<FlagTable>;

/** `csi-sidecars rbac`: prints the minimal roles for a command line. */
export function rbacCommand(argv: readonly string[], program: SidecarProgram): CommandResult {
  const line = readSubCommand(argv, command, program);
  if (line.asks === "nothing") return line.result;
  const { values, settings } = line;
  const namespace = values.namespace || "default";
  const serviceAccount = values.serviceAccount || program.name;
  const reader = readers.find((each) => each === values.for);
  if (reader) return readerRole(reader, program.name, { ...values, namespace, serviceAccount });
  const prefix = values.namePrefix || program.name;
  const { gates, problems } = tolerantGates(program, settings);
  const grants = grantsOf(program, settings, gates, namespace, couldElect(argv, program, settings));
  const about = aboutLines(program, settings, grants);
  const stdout =
    values.format === "helm"
      ? renderHelm(grants, { prefix, namespace, about })
      : renderYaml(grants, { prefix, namespace, serviceAccount, about });
  return {
    exitCode: exitCode.clean,
    stdout,
    stderr: [...problems, ...settings.warnings].map((warning) => `Warning: ${warning}\n`).join(""),
  };
}

/** The command reads all namespaces, whatever the program runs. A chart has no values for that. */
function readerRole(
  reader: Reader,
  program: string,
  { format, namespace, serviceAccount, namePrefix }: Readonly<Record<"format" | "namespace" | "serviceAccount" | "namePrefix", string>>,
): CommandResult {
  if (format === "helm") {
    return { exitCode: exitCode.misuse, stdout: "", stderr: `--for=${reader} cannot be combined with --format=helm: use --format=yaml\n` };
  }
  const about = [`Permissions to read all that \`${program} ${reader}\` looks at. Bind the role to whoever calls it.`];
  const prefix = `${namePrefix || program}-${reader}`;
  const stdout = renderYaml([{ suffix: "", rules: readerRules(reader) }], { prefix, namespace, serviceAccount, about });
  return { exitCode: exitCode.clean, stdout, stderr: "" };
}

/** Whether the command line would still be valid with leader election. */
function couldElect(argv: readonly string[], program: SidecarProgram, { problems }: Settings): boolean {
  const elected = readSubCommand(["--leader-election", ...argv], command, program);
  return elected.asks === "run" && elected.settings.problems.length <= problems.length;
}

/**
 * The grants of a command line. Leader election is included unless it is disabled or impossible: people rather forget
 * --leader-election here than in the Deployment.
 */
function grantsOf(program: SidecarProgram, settings: Settings, gates: Gates, namespace: string, electable: boolean): readonly Grant[] {
  const { leaderElection, leaderElectionNamespace } = settings.process;
  const enabled = program.components.filter(({ name }) => settings.enabled.includes(name));
  const elects =
    enabled.some(({ leadership }) => leadership !== "none") && (leaderElection || (electable && !settings.setBy("leader-election")));
  return grantsFor({
    components: enabled.map((component) => ({ name: component.name, rules: neededRules(component.rbac(settings.of(component)), gates) })),
    alone: program.form === "individual",
    namespace,
    ...(elects && { leaseNamespace: leaderElectionNamespace || namespace }),
  });
}

function aboutLines(program: SidecarProgram, settings: Settings, grants: readonly Grant[]): readonly string[] {
  const what = program.form === "individual" ? program.name : `${program.name} with ${settings.enabled.join(", ")}`;
  return grants.length > 0 ? [`Permissions of ${what}.`] : [`${what} needs no access to the cluster.`];
}
