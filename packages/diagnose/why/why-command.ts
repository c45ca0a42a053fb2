import { choice, duration, exitCode, type Settings, type SidecarProgram, text } from "@csi-sidecars/host";
import { type CommandResult, Misuse, readSubCommand } from "@csi-sidecars/host/sub-commands";
import { askDriver } from "../check/ask-driver.ts";
import { ask } from "../check/asked.ts";
import { type CheckWorld, openDriver, openKube } from "../check/open-surroundings.ts";
import { callersKubeconfig } from "./caller-config.ts";
import { explain } from "./explain.ts";
import type { DriverAnswer } from "./facts.ts";
import { gather } from "./gather.ts";
import { looker } from "./look.ts";
import { renderJson, renderText } from "./render.ts";
import { leadingWords, operands, type Question, readQuestion } from "./subject.ts";

const command = {
  name: "why",
  operands,
  flags: {
    output: choice(["text", "json"], "text", "Form of the answer.", { aliases: ["o"] }),
    namespace: text("default", "Namespace of a name that has none.", { aliases: ["n"] }),
    "time-limit": duration("5s", "How long the API server and the driver may take for each answer."),
  },
  help: () =>
    "Says in plain words which step a volume waits for, since when, what proves it and what to do about it.\n" +
    "Reads only, with the rights of the kubeconfig. With --csi-address the driver is asked too.\n" +
    "Exit code 0: explained; 1: the object does not exist or could not be read.",
};

/** `csi-sidecars why`: what `help` above says. Changes nothing, and never reads a secret. */
export async function whyCommand(argv: readonly string[], program: SidecarProgram, world: CheckWorld): Promise<CommandResult> {
  const { asked, flags } = leadingWords(argv);
  const line = readSubCommand(flags, command, program);
  if (line.asks === "nothing") return asked.length > 0 ? line.result : withoutWords(line.result);
  const { values, settings } = line;
  const question = questionOf(asked, values.namespace);
  if (typeof question === "string") return { exitCode: exitCode.misuse, stdout: "", stderr: `${question}\n` };
  const { clock, env, files } = world;
  const kubeconfig = callersKubeconfig(settings.process.kubeconfig, env, files);
  using kube = openKube(program, { ...settings.process, kubeconfig }, world);
  if (!kube.access) return { exitCode: exitCode.failure, stdout: "", stderr: `${kube.unreachable?.unreachable}\n` };
  const driver = await driverAnswer(settings, world, values.timeLimit);
  const look = looker(kube.access, values.timeLimit);
  const leaseName = settings.process.leaderElectionLeaseName;
  const facts = await gather({ look, clock, ...(driver && { driver }), ...(leaseName && { leaseName }) }, question.kind, question.ref);
  const explanation = explain(facts);
  const stdout = values.output === "json" ? renderJson(explanation) : renderText(explanation, clock.now());
  return { exitCode: explanation.found ? exitCode.clean : exitCode.failure, stdout, stderr: "" };
}

/** Who begins with flags, as with kubectl, is not told about a flag or a word, but how to begin. */
function withoutWords(result: CommandResult): CommandResult {
  return result.exitCode === exitCode.misuse ? { ...result, stderr: `name what to explain before the flags: ${operands}\n` } : result;
}

function questionOf(asked: readonly string[], namespace: string): Question | string {
  try {
    return readQuestion(asked, namespace);
  } catch (error) {
    if (error instanceof Misuse) return error.message;
    throw error;
  }
}

/** The driver is asked only where its socket was named: a person's machine has none. */
async function driverAnswer(settings: Settings, { clock }: CheckWorld, limitMs: number): Promise<DriverAnswer | undefined> {
  if (settings.setBy("csi-address") === undefined) return undefined;
  using driver = await openDriver(settings.process, clock, limitMs);
  const { access } = driver;
  if (!access) return { reached: false, because: driver.unreachable?.unreachable ?? "" };
  const who = { identity: access.client.identity, capabilities: access.capabilities, kinds: ["controller" as const] };
  const facts = await ask({ clock, limitMs }, new AbortController().signal, (ends) => askDriver(who, ends, limitMs));
  if (!facts.known) return { reached: false, because: facts.because };
  const { name, ready = true, capabilities } = facts.value;
  return { reached: true, name, ready, capabilities: capabilities.controller ?? [] };
}
