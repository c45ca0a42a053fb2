import { createInterface } from "node:readline/promises";
import { messageWithCause, visible } from "@csi-sidecars/base";
import { bool, type ExitCode, exitCode, type FlagTable, type ProcessEnv, type SidecarProgram, text } from "@csi-sidecars/host";
import { type CommandResult, objectName, readSubCommand, type SubCommand } from "@csi-sidecars/host/sub-commands";
import { type Client, ignoreNotFound, isConflict, isForbidden, isNotFound, Lease, namespaceOf, type V1Lease } from "@csi-sidecars/kube";
import { callersKubeconfig, openKube } from "../access/connect.ts";
import { alignColumns, listed } from "../text.ts";
import { findLegacyLeases, judge, judgeAgain, type LegacyLeaseFound, type Verdict } from "./legacy-leases.ts";

const command = {
  name: "leases",
  operands: "clean",
  examples: ["leases clean -n my-driver"],
  uses: ["kubeconfig", "leader-election-lease-name"],
  flags: {
    namespace: text("", "Namespace of the leases; that of --leader-election-namespace or of the pod if empty.", {
      check: objectName,
      aliases: ["n"],
    }),
    driver: text(
      "",
      "Only the leases of this driver. Needed where --leader-election-lease-name gave the lease of csi-sidecars another name.",
    ),
    yes: bool(false, "Remove without asking.", { aliases: ["y"] }),
  },
  help: (program: string) =>
    `Removes the leases of sidecars that ${program} has replaced: of controllers that the marker on its own lease names, and only those that nobody holds.\n` +
    "A lease whose holder may be alive stays; one that seems to have expired is watched for its duration first, at most 5 minutes: a longer one stays.\n" +
    "Shows what it found, and asks before it removes anything. Needs get, list and delete on leases in the namespace.\n" +
    "Exit code 0: all were removed; 1: some stay, or removing failed; 2: usage error, or no answer from the cluster; 3: nothing to remove.",
} satisfies SubCommand<FlagTable>;

type Environment = Pick<ProcessEnv, "env" | "clock" | "stderr" | "stdout">;
type Ask = (question: string) => Promise<boolean>;

/** `csi-sidecars leases clean`: what `help` above says. `allInOne`: who has replaced the sidecars. */
export async function leasesCommand(
  argv: readonly string[],
  program: SidecarProgram,
  environment: Environment,
  { allInOne, ask = askTerminal() }: { readonly allInOne: SidecarProgram; readonly ask?: Ask | undefined },
): Promise<CommandResult> {
  const line = readSubCommand(argv, command, program);
  if (line.asks === "nothing") return line.result;
  const { values, settings, operands } = line;
  if (operands.join(" ") !== "clean") return ends(exitCode.misuse, `leases needs one word: ${program.name} leases clean`);
  if (!values.yes && !ask) return ends(exitCode.misuse, "there is no terminal to ask at: look with a terminal first, then give --yes");
  const { kubeconfig, leaderElectionNamespace, leaderElectionLeaseName } = settings.process;
  using kube = openKube(program, { ...settings.process, kubeconfig: callersKubeconfig(kubeconfig, environment.env) }, environment);
  if (!kube.access) return ends(exitCode.misuse, kube.unreachable?.unreachable ?? "");
  const namespace = values.namespace || leaderElectionNamespace || namespaceOf(environment.env);
  const which = {
    program: allInOne.name,
    components: allInOne.components,
    ...(values.driver && { driver: values.driver }),
    ...(leaderElectionLeaseName && { leaseName: leaderElectionLeaseName }),
  };
  return await clean(kube.access, { namespace, which, environment, confirm: values.yes ? async () => true : (ask ?? (async () => false)) });
}

interface CleanOptions {
  readonly namespace: string;
  readonly which: Parameters<typeof findLegacyLeases>[1];
  readonly environment: Environment;
  readonly confirm: Ask;
}

async function clean(client: Client, { namespace, which, environment, confirm }: CleanOptions): Promise<CommandResult> {
  const { clock, stdout, stderr } = environment;
  let verb = "list";
  try {
    const { items } = await client.list(Lease, { namespace });
    const { found, unclear } = findLegacyLeases(items, which);
    for (const name of unclear)
      stderr.write(`${namespace}/${name} does not tell its driver: name it with --driver and --leader-election-lease-name=${name}\n`);
    if (found.length === 0)
      return ends(exitCode.nothingToDo, `there is no lease in namespace ${namespace} that a migrated sidecar has left behind`);
    verb = "get";
    const verdicts = await judgeAll(client, found, environment);
    stdout.write(table(verdicts));
    const removable = verdicts.filter(({ verdict }) => verdict.may === "go");
    const stay = verdicts.length - removable.length;
    if (removable.length === 0) return ends(exitCode.failure, "nothing is removed: stop the sidecars that hold these leases first");
    if (!(await confirm(`Remove ${removable.length === 1 ? "this lease" : `these ${removable.length} leases`}? [y/N] `)))
      return ends(exitCode.failure, "nothing was removed");
    verb = "delete";
    const changed: string[] = [];
    for (const { each } of removable) if (!(await remove(client, each.lease))) changed.push(each.lease.metadata?.name ?? "");
    if (changed.length > 0)
      return ends(
        exitCode.failure,
        `${listed(changed)} changed meanwhile, and ${changed.length === 1 ? "stays" : "stay"}: somebody uses it; run this again`,
      );
    return {
      exitCode: stay > 0 ? exitCode.failure : exitCode.clean,
      stdout: `${removable.length} removed${stay > 0 ? `, ${stay} held` : ""}\n`,
      stderr: "",
    };
  } catch (error) {
    if (isForbidden(error))
      return ends(exitCode.misuse, `RBAC missing: ${verb} on leases.coordination.k8s.io in ${namespace} (${messageWithCause(error)})`);
    return ends(exitCode.misuse, messageWithCause(error));
  }

  async function judgeAll(kube: Client, found: readonly LegacyLeaseFound[], { clock: time }: Environment) {
    const first = found.map((each) => ({ each, verdict: judge(each, clock.now(), longestWatchSeconds) }));
    const unclear = first.filter(({ verdict }) => verdict.may === "unclear");
    if (unclear.length === 0) return first;
    const seconds = Math.max(...unclear.map(({ each }) => each.lease.spec?.leaseDurationSeconds ?? 0));
    stderr.write(
      `watching ${unclear.length === 1 ? "a lease that seems" : `${unclear.length} leases that seem`} to have expired for ${seconds} s\n`,
    );
    await time.sleep(seconds * 1000);
    return Promise.all(
      first.map(async (one) =>
        one.verdict.may === "unclear" ? { ...one, verdict: judgeAgain(one.each, await readAgain(kube, one.each.lease)) } : one,
      ),
    );
  }
}

/** No sidecar has a longer lease without good reason; one that has is not removed on suspicion. */
const longestWatchSeconds = 300;

const readAgain = (client: Client, { metadata }: V1Lease) =>
  ignoreNotFound(client.get(Lease, { namespace: metadata?.namespace ?? "", name: metadata?.name ?? "" }));

/** Only what was looked at: whoever takes or renews it meanwhile keeps it. `false`: it changed. */
async function remove(client: Client, { metadata }: V1Lease): Promise<boolean> {
  const { namespace = "", name = "", uid = "", resourceVersion = "" } = metadata ?? {};
  try {
    await client.delete(Lease, { namespace, name }, { preconditions: { uid, resourceVersion } });
    return true;
  } catch (error) {
    if (isNotFound(error)) return true;
    if (isConflict(error)) return false;
    throw error;
  }
}

function table(verdicts: readonly { readonly each: LegacyLeaseFound; readonly verdict: Verdict }[]): string {
  const rows = verdicts.map(({ each: { lease, component }, verdict }) => [
    lease.metadata?.name ?? "",
    component.standalone,
    verdict.may === "go" ? "remove" : "stays",
    verdict.because,
  ]);
  return alignColumns([["LEASE", "SIDECAR", "", "WHY"], ...rows])
    .map((line) => `${line}\n`)
    .join("");
}

/** A question to the person at the terminal; `undefined` where there is none. */
function askTerminal(): Ask | undefined {
  if (!process.stdin.isTTY) return undefined;
  return async (question) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    try {
      return /^y(es)?$/i.test((await lines.question(question)).trim());
    } finally {
      lines.close();
    }
  };
}

function ends(code: ExitCode, message: string): CommandResult {
  return { exitCode: code, stdout: "", stderr: `${visible(message)}\n` };
}
