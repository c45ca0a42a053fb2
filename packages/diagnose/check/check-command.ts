import { silentLogger } from "@csi-sidecars/base";
import {
  aboveZero,
  type Component,
  choice,
  duration,
  exitCode,
  type FlagTable,
  type Settings,
  type SidecarProgram,
} from "@csi-sidecars/host";
import {
  type CommandResult,
  ComponentSupport,
  missingEnvironment,
  neededKinds,
  neededRules,
  type ProcessPlan,
  planProcess,
  processNamespaces,
  readSubCommand,
  ServedKinds,
  type SubCommand,
  type Support,
  tolerantGates,
} from "@csi-sidecars/host/sub-commands";
import { type CommandEnvironment, openDriver, openKube } from "../access/connect.ts";
import { impersonationFlags } from "../access/impersonation.ts";
import { clusterReader } from "../access/read-cluster.ts";
import { compatibility, isComplete } from "./compatibility.ts";
import { driverObjectRows } from "./driver-object.ts";
import { inspect } from "./findings.ts";
import { otherInstances } from "./other-instances.ts";
import { renderJson, renderTable } from "./render.ts";
import { requestLimitRows } from "./request-limits.ts";
import type { Row } from "./row.ts";
import { serviceAccountRows } from "./service-account.ts";

const command = {
  name: "check",
  examples: ["check --csi-address=/csi/csi.sock", "check --as=system:serviceaccount:my-driver:my-driver-controller"],
  uses: ["controllers", "kubeconfig", "csi-address"],
  flags: {
    output: choice(["table", "json"], "table", "Output format.", { aliases: ["o"] }),
    ...impersonationFlags,
    "time-limit": duration("5s", "How long the API server and the driver may take for each answer.", { check: aboveZero }),
  },
  help: (program: string) =>
    `Checks that the API server, the permissions and the CSI driver meet what ${program} needs with the given flags.\n` +
    "Exit code 0: nothing required is missing; 1: something is, or a flag has a value that cannot work; 2: usage error.",
} satisfies SubCommand<FlagTable>;

/** `csi-sidecars check`: what `help` above says. Changes nothing. */
export async function checkCommand(
  argv: readonly string[],
  program: SidecarProgram,
  environment: CommandEnvironment,
): Promise<CommandResult> {
  const line = readSubCommand(argv, command, program);
  if (line.asks === "nothing") return line.result;
  const { settings, values } = line;
  const { clock, env, files } = environment;
  const { process } = settings;
  const limitMs = values.timeLimit;
  const plan = planProcess(program, settings);
  const { gates, problems } = tolerantGates(program, settings);
  using kube = plan.needsKube ? openKube(program, process, environment, values) : undefined;
  using driver = plan.driver === "none" ? undefined : await openDriver(process, clock, limitMs);
  const served = new ServedKinds();
  const support = async (component: Component, signal: AbortSignal): Promise<Support | undefined> => {
    if (!component.kube || component.driver === "none") return { supported: true, gates };
    if (!kube?.access || !driver?.access) return undefined;
    const shared = { component, gates, kube: kube.access, served, clock, log: silentLogger };
    return new ComponentSupport({ ...shared, flags: settings.of(component), lossPolicy: "exit" }).check(driver.access, signal);
  };
  const namespaces = processNamespaces(env, process, files);
  const kubeOrNot = kube && (kube.access ?? kube.unreachable);
  const driverOrNot =
    driver && (driver.access ? { identity: driver.access.client.identity, capabilities: driver.access.capabilities } : driver.unreachable);
  const findings = await inspect({
    program: { name: program.name, version: program.version },
    components: plan.enabled.map((component) => ({
      component,
      rules: neededRules(component.rbac(settings.of(component)), gates),
      kinds: neededKinds(component.kinds ?? [], gates),
    })),
    ...{ namespace: namespaces.objects, clock, limitMs, support, readsDefinitions: true, namesUser: true },
    ...(plan.elections.length > 0 && { leaseNamespace: namespaces.lease }),
    ...(kubeOrNot && { kube: kubeOrNot }),
    ...(driverOrNot && { driver: driverOrNot }),
  });
  const cluster = kube?.access && findings.server?.known ? clusterReader(kube.access, limitMs) : undefined;
  const object = cluster && driver?.access ? await driverObjectRows(cluster, driver.access.name, plan.enabled) : [];
  const others = cluster
    ? await otherInstances(cluster, {
        ...{ program, enabled: plan.enabled, leaseNamespace: namespaces.lease, podNamespace: namespaces.objects, now: clock.now() },
        leaseName: process.leaderElectionLeaseName,
        ...(driver?.access && { driver: driver.access.name }),
      })
    : [];
  using caller = values.as === "" || !cluster ? undefined : openKube(program, process, environment);
  const rows = [
    ...flagRows(settings, plan, problems),
    ...missingEnvironment(plan, settings, env).map(environmentRow),
    ...requestLimitRows(plan.enabled, settings),
    ...(caller?.access ? await serviceAccountRows(clusterReader(caller.access, limitMs), values.as) : []),
    ...compatibility(findings),
    ...object,
    ...others,
    ...(cluster?.notes ?? []).toSorted().map(unreadRow),
  ];
  const stdout = values.output === "json" ? renderJson(findings, rows) : renderTable(rows);
  return { exitCode: isComplete(rows) ? exitCode.clean : exitCode.failure, stdout, stderr: "" };
}

function unreadRow(note: string): Row {
  return {
    ...{ severity: "warning", area: "controller", message: `not judged: ${note}` },
    remedy: "check as somebody who may read it: `csi-sidecars rbac --for=check` prints a role",
  };
}

/** Only the pod knows for certain what it is given: a check may be made elsewhere. */
function environmentRow(message: string): Row {
  return { severity: "warning", area: "flags", message: `${message} (not set where this check runs)` };
}

function flagRows(settings: Settings, plan: ProcessPlan, gateProblems: readonly string[]): readonly Row[] {
  const problems = [...settings.problems, ...plan.problems, ...gateProblems];
  return [
    ...problems.map((message): Row => ({ severity: "error", area: "flags", message })),
    ...settings.warnings.map((message): Row => ({ severity: "warning", area: "flags", message })),
  ];
}
