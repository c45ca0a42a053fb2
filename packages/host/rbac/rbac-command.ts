import { exitCode } from "../flags/exit-code.ts";
import type { FlagTable } from "../flags/flag.ts";
import { choice, text } from "../flags/flag-types.ts";
import { Misuse } from "../flags/misuse.ts";
import { readCommandLine } from "../flags/read-command-line.ts";
import type { Settings } from "../flags/resolve.ts";
import { commandLineOf, type SidecarProgram } from "../process/sidecar-program.ts";
import { type Grant, grantsFor } from "./generate.ts";
import { asksForHelp, type CommandResult, flagsText, takeFlags } from "./own-flags.ts";
import { renderHelm } from "./render-helm.ts";
import { renderYaml } from "./render-yaml.ts";

const nameProblem = (value: string, flag: string) =>
  /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(value)
    ? undefined
    : `invalid value ${JSON.stringify(value)} for flag --${flag}: a name has lower case letters, digits, dashes and dots only`;
const optionalName = (value: string, flag: string) => (value === "" ? undefined : nameProblem(value, flag));

const flags = {
  format: choice(["yaml", "helm"], "yaml", "yaml: manifests to apply; helm: a template for a chart."),
  namespace: text("default", "Namespace of the pod and its service account.", { check: nameProblem }),
  "service-account": text("", "Service account of the pod; named as the program if empty.", { check: optionalName }),
  "name-prefix": text("", "What the names of all roles begin with; as the program if empty. Give each driver of a cluster its own.", {
    check: optionalName,
  }),
} satisfies FlagTable;

/**
 * `csi-sidecars rbac`: prints the least roles that a command line needs. All other flags are those of the program, so that the
 * arguments of a container can be given as they are.
 */
export function rbacCommand(argv: readonly string[], program: SidecarProgram): CommandResult {
  if (asksForHelp(argv)) return { exitCode: exitCode.clean, stdout: help(program.name), stderr: "" };
  try {
    const { values, rest } = takeFlags(argv, flags);
    const commandLine = readCommandLine(commandLineOf(program), rest);
    if (commandLine.asks === "nothing") throw new Misuse(commandLine.misuse);
    if (commandLine.asks === "help") return { exitCode: exitCode.clean, stdout: commandLine.text, stderr: "" };
    const { settings } = commandLine;
    if (settings.enabled.length === 0) return failed(exitCode.failure, settings.problems);
    const prefix = values.namePrefix || program.name;
    const serviceAccount = values.serviceAccount || program.name;
    const grants = grantsOf(program, settings, values.namespace);
    const about = aboutLines(program, settings, grants);
    const stdout =
      values.format === "helm"
        ? renderHelm(grants, { prefix, namespace: values.namespace, about })
        : renderYaml(grants, { prefix, namespace: values.namespace, serviceAccount, about });
    return { exitCode: exitCode.clean, stdout, stderr: settings.warnings.map((line) => `Warning: ${line}\n`).join("") };
  } catch (error) {
    if (error instanceof Misuse) return failed(exitCode.misuse, [error.message]);
    throw error;
  }
}

/** The grants of a command line. The election counts unless it was switched off explicitly: forgetting it here is the likelier mistake. */
function grantsOf(program: SidecarProgram, settings: Settings, namespace: string): readonly Grant[] {
  const { leaderElection, leaderElectionNamespace } = settings.process;
  const enabled = program.components.filter(({ name }) => settings.enabled.includes(name));
  const elects = enabled.some(({ leadership }) => leadership === "required") && (leaderElection || !settings.setBy("leader-election"));
  return grantsFor({
    components: enabled.map((component) => ({ name: component.name, rules: component.rbac(settings.of(component)) })),
    alone: program.form === "individual",
    namespace,
    ...(elects && { leaseNamespace: leaderElectionNamespace || namespace }),
  });
}

function aboutLines(program: SidecarProgram, settings: Settings, grants: readonly Grant[]): readonly string[] {
  const what = program.form === "individual" ? program.name : `${program.name} with ${settings.enabled.join(", ")}`;
  return grants.length > 0 ? [`What ${what} may do in the cluster.`] : [`${what} needs no access to the cluster.`];
}

function help(name: string): string {
  return (
    `Usage: ${name} rbac [flags] [flags of ${name}]\n\n` +
    `Prints the roles that ${name} needs when it is run with the given flags (--controllers and those that switch features on or off).\n\n` +
    `Flags:\n${flagsText(flags)}\n`
  );
}

function failed(code: number, problems: readonly string[]): CommandResult {
  return { exitCode: code, stdout: "", stderr: problems.map((line) => `${line}\n`).join("") };
}
