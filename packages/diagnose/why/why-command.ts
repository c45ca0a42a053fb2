import { visible } from "@csi-sidecars/base";
import {
  aboveZero,
  bool,
  choice,
  duration,
  exitCode,
  type FlagTable,
  int,
  retryFlags,
  type Settings,
  type SidecarProgram,
  text,
} from "@csi-sidecars/host";
import { type CommandResult, Misuse, numberAt, readSubCommand, type SubCommand } from "@csi-sidecars/host/sub-commands";
import { type CommandEnvironment, callersKubeconfig, openDriver, openKube } from "../access/connect.ts";
import { impersonationFlags } from "../access/impersonation.ts";
import { clusterReader } from "../access/read-cluster.ts";
import { withTimeLimit } from "../access/time-limit.ts";
import { inspectDriver } from "../check/inspect-driver.ts";
import { explain } from "./explain.ts";
import type { Explanation } from "./explanation.ts";
import { follow } from "./follow.ts";
import type { GatherContext } from "./gather/context.ts";
import type { DriverAnswer } from "./gather/observed.ts";
import { type ObjectArgument, operands, readObjectArgument } from "./object-argument.ts";
import { takeOverview } from "./overview/overview.ts";
import { renderOverview, renderOverviewJson } from "./overview/render.ts";
import { renderJson, renderText } from "./render.ts";
import { reportsAmong, responsibleAmong, type Sidecar } from "./responsible-sidecar.ts";

const command = {
  name: "why",
  operands: `[${operands}]`,
  examples: ["why", "why pvc default/data", "why pod app -n team -o json", "why -w pvc default/data"],
  uses: ["kubeconfig", "csi-address"],
  flags: {
    output: choice(["text", "json"], "text", "Output format.", { aliases: ["o"] }),
    namespace: text("", "Namespace of a name that has none (default); without a name: the namespace to look through.", { aliases: ["n"] }),
    "all-namespaces": bool(false, "Without a name: look through the whole cluster, as without --namespace.", { aliases: ["A"] }),
    watch: bool(false, "Follow one object: say so when the answer changes, and end when nothing is waiting.", { aliases: ["w"] }),
    limit: int(50, "Without a name: how many objects are shown.", {
      check: (count) => (count < 1 ? "must be at least 1" : undefined),
    }),
    ...impersonationFlags,
    "time-limit": duration("5s", "How long the API server and the driver may take for each answer.", { check: aboveZero }),
  },
  help: () =>
    "Says in plain words which step a volume or a snapshot waits for, since when, on what evidence, and what to do about it.\n" +
    "Without a name it looks through the whole cluster, or --namespace, for everything that is stuck, nodes too, the worst first.\n" +
    "Reads only, with the permissions of the kubeconfig. With --csi-address the driver is asked too.\n" +
    "Exit code 0: explained; 1: the object does not exist or could not be read; 2: usage error.",
} satisfies SubCommand<FlagTable>;

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
  const line = readSubCommand(argv, command, program);
  if (line.asks === "nothing") return line.result;
  const { values, settings } = line;
  const asked = questionOf(line.operands, values);
  if (typeof asked === "string") return { exitCode: exitCode.misuse, stdout: "", stderr: `${asked}\n` };
  const { clock, env, files } = environment;
  const kubeconfig = callersKubeconfig(settings.process.kubeconfig, env, files);
  using kube = openKube(program, { ...settings.process, kubeconfig }, environment, values);
  if (!kube.access) return { exitCode: exitCode.failure, stdout: "", stderr: `${visible(kube.unreachable?.unreachable ?? "")}\n` };
  const driverAnswer = await askDriver(settings, environment, values.timeLimit);
  const leaseName = settings.process.leaderElectionLeaseName;
  const { access } = kube;
  /** Notes are those of one answer. */
  const context = (): GatherContext => ({
    ...{ cluster: clusterReader(access, values.timeLimit), clock },
    ...{ responsibleFor: responsibleAmong(components), reportOn: reportsAmong(components) },
    infeasibleRetryMs: infeasibleRetry(program, settings),
    ...(driverAnswer && { driverAnswer }),
    ...(leaseName && { leaseName }),
  });
  if (!asked.object) {
    const overview = await takeOverview(context(), asked.namespace);
    if (overview.isNowhere)
      return { exitCode: exitCode.failure, stdout: "", stderr: `namespace ${visible(asked.namespace ?? "")} does not exist\n` };
    const stdout =
      values.output === "json" ? renderOverviewJson(overview, values.limit) : renderOverview(overview, values.limit, clock.now());
    return { exitCode: overview.isBlind ? exitCode.failure : exitCode.clean, stdout, stderr: "" };
  }
  const { object } = asked;
  const render = (each: Explanation) => (values.output === "json" ? renderJson(each) : renderText(each, clock.now()));
  if (values.watch) return await watch(() => explain(context(), object), render, environment);
  const explanation = await explain(context(), object);
  return { exitCode: explanation.found ? exitCode.clean : exitCode.failure, stdout: render(explanation), stderr: "" };
}

const watchIntervalMs = 2_000;

/** An object that was there once and is gone has been explained. */
async function watch(
  explain: () => Promise<Explanation>,
  render: (explanation: Explanation) => string,
  { clock, stdout, signals }: CommandEnvironment,
): Promise<CommandResult> {
  const stop = new AbortController();
  const unsubscribe = signals?.(() => stop.abort());
  let wasFound = false;
  const tell = (explanation: Explanation) => {
    wasFound ||= explanation.found;
    stdout?.write(render(explanation));
    if (stdout?.isGone?.()) stop.abort();
  };
  try {
    await follow({ explain, tell, clock, intervalMs: watchIntervalMs, signal: stop.signal });
  } finally {
    unsubscribe?.();
  }
  return { exitCode: wasFound || stop.signal.aborted ? exitCode.clean : exitCode.failure, stdout: "", stderr: "" };
}

/** Only the command line tells it: what the running sidecar has is its default, unless `why` is given the same flag. */
function infeasibleRetry({ components }: SidecarProgram, settings: Settings): number {
  const component = components.find(({ operations }) => operations?.expand);
  return (component && numberAt(settings.of(component), "retryIntervalMax")) ?? retryFlags["retry-interval-max"].initial;
}

interface Question {
  /** Absent: everything that is stuck. */
  readonly object?: ObjectArgument;
  readonly namespace?: string;
}

/** What is asked for; a text says why that cannot be answered. */
function questionOf(
  given: readonly string[],
  { namespace, allNamespaces, watch }: { readonly namespace: string; readonly allNamespaces: boolean; readonly watch: boolean },
): Question | string {
  if (allNamespaces && namespace !== "") return "--all-namespaces and --namespace exclude each other: give one of them";
  if (given.length === 0) {
    if (watch) return `--watch follows one object: name it: ${operands}`;
    return namespace === "" ? {} : { namespace };
  }
  if (allNamespaces) return "--all-namespaces looks for everything that is stuck: leave the name of the object out";
  try {
    return { object: readObjectArgument(given, namespace || "default") };
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
  if (!info.known) return { reached: false, because: `the driver does not answer: ${info.because}` };
  const { name, ready = true, capabilities } = info.value;
  return { reached: true, name, ready, capabilities: capabilities.controller ?? [], nodeCapabilities: capabilities.node ?? [] };
}
