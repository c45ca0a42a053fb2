import { visible } from "@csi-sidecars/base";
import { choice, duration, exitCode, retryFlags, type Settings, type SidecarProgram, text } from "@csi-sidecars/host";
import { type CommandResult, Misuse, numberAt, readSubCommand } from "@csi-sidecars/host/sub-commands";
import { type CommandEnvironment, callersKubeconfig, openDriver, openKube } from "../access/connect.ts";
import { clusterReader } from "../access/read-cluster.ts";
import { withTimeLimit } from "../access/time-limit.ts";
import { inspectDriver } from "../check/inspect-driver.ts";
import { explain } from "./explain.ts";
import type { DriverAnswer } from "./gather/observed.ts";
import { type ObjectArgument, operands, readObjectArgument, splitOperands } from "./object-argument.ts";
import { renderJson, renderText } from "./render.ts";
import { reportsAmong, responsibleAmong, type Sidecar } from "./responsible-sidecar.ts";

const command = {
  name: "why",
  operands,
  flags: {
    output: choice(["text", "json"], "text", "Output format.", { aliases: ["o"] }),
    namespace: text("default", "Namespace of a name that has none.", { aliases: ["n"] }),
    "time-limit": duration("5s", "How long the API server and the driver may take for each answer."),
  },
  help: () =>
    "Says in plain words which step a volume or a snapshot waits for, since when, on what evidence, and what to do about it.\n" +
    "Reads only, with the permissions of the kubeconfig. With --csi-address the driver is asked too.\n" +
    "Exit code 0: explained; 1: the object does not exist or could not be read; 2: usage error.",
};

/**
 * `csi-sidecars why`: what `help` above says. Changes nothing, and never reads a secret. `components` are all that may run for a
 * driver, those of the program by default: an individual program has but one, and can still explain the work of the others.
 */
export async function whyCommand(
  argv: readonly string[],
  program: SidecarProgram,
  environment: CommandEnvironment,
  components: readonly Sidecar[] = program.components,
): Promise<CommandResult> {
  const { given, flags } = splitOperands(argv);
  const line = readSubCommand(flags, command, program);
  if (line.asks === "nothing") return given.length > 0 ? line.result : withoutOperands(line.result);
  const { values, settings } = line;
  const object = objectOrMisuse(given, values.namespace);
  if (typeof object === "string") return { exitCode: exitCode.misuse, stdout: "", stderr: `${object}\n` };
  const { clock, env, files } = environment;
  const kubeconfig = callersKubeconfig(settings.process.kubeconfig, env, files);
  using kube = openKube(program, { ...settings.process, kubeconfig }, environment);
  if (!kube.access) return { exitCode: exitCode.failure, stdout: "", stderr: `${visible(kube.unreachable?.unreachable ?? "")}\n` };
  const driverAnswer = await askDriver(settings, environment, values.timeLimit);
  const leaseName = settings.process.leaderElectionLeaseName;
  const explanation = await explain(
    {
      ...{ cluster: clusterReader(kube.access, values.timeLimit), clock },
      ...{ responsibleFor: responsibleAmong(components), reportOn: reportsAmong(components) },
      infeasibleRetryMs: infeasibleRetry(program, settings),
      ...(driverAnswer && { driverAnswer }),
      ...(leaseName && { leaseName }),
    },
    object,
  );
  const stdout = values.output === "json" ? renderJson(explanation) : renderText(explanation, clock.now());
  return { exitCode: explanation.found ? exitCode.clean : exitCode.failure, stdout, stderr: "" };
}

/** Only the command line tells it: what the running sidecar has is its default, unless `why` is given the same flag. */
function infeasibleRetry({ components }: SidecarProgram, settings: Settings): number {
  const component = components.find(({ operations }) => operations?.expand);
  return (component && numberAt(settings.of(component), "retryIntervalMax")) ?? retryFlags["retry-interval-max"].initial;
}

/** Somebody who begins with flags, as with kubectl, is told how to begin, not what is wrong with a flag. */
function withoutOperands(result: CommandResult): CommandResult {
  return result.exitCode === exitCode.misuse ? { ...result, stderr: `name the object to explain before the flags: ${operands}\n` } : result;
}

function objectOrMisuse(given: readonly string[], namespace: string): ObjectArgument | string {
  try {
    return readObjectArgument(given, namespace);
  } catch (error) {
    if (error instanceof Misuse) return error.message;
    throw error;
  }
}

/** The driver is asked only where its socket was named: a person's machine has none. */
async function askDriver(settings: Settings, { clock }: CommandEnvironment, limitMs: number): Promise<DriverAnswer | undefined> {
  if (settings.setBy("csi-address") === undefined) return undefined;
  using driver = await openDriver(settings.process, clock, limitMs);
  const { access } = driver;
  if (!access) return { reached: false, because: driver.unreachable?.unreachable ?? "" };
  const reached = { identity: access.client.identity, capabilities: access.capabilities, kinds: ["controller" as const, "node" as const] };
  const info = await withTimeLimit({ clock, limitMs }, new AbortController().signal, (ends) => inspectDriver(reached, ends, limitMs));
  if (!info.known) return { reached: false, because: info.because };
  const { name, ready = true, capabilities } = info.value;
  return { reached: true, name, ready, capabilities: capabilities.controller ?? [], nodeCapabilities: capabilities.node ?? [] };
}
