import { messageWithCause, visible } from "@csi-sidecars/base";
import { ControllerServiceCapability_RPC_Type as ControllerRpc } from "@csi-sidecars/csi";
import {
  aboveZero,
  bool,
  choice,
  duration,
  type ExitCode,
  exitCode,
  type FlagTable,
  list,
  notBelowZero,
  type SidecarProgram,
  text,
} from "@csi-sidecars/host";
import { type CommandResult, formatDuration, readSubCommand, type SubCommand } from "@csi-sidecars/host/sub-commands";
import { type CommandEnvironment, callersKubeconfig, openDriver, openKube } from "../access/connect.ts";
import { driverRemedy } from "../access/driver-remedy.ts";
import { impersonationFlags } from "../access/impersonation.ts";
import { noteLines, roleHint } from "../access/notes.ts";
import { clusterReader } from "../access/read-cluster.ts";
import { type Comparison, compare } from "./compare.ts";
import { type Inventory, type Listed, takeInventory } from "./inventory.ts";
import { plural, renderJson, renderTable } from "./render.ts";

const command = {
  name: "audit",
  examples: ["audit --csi-address=/csi/csi.sock", "audit --csi-address=/csi/csi.sock --name-prefix=pvc- -o json"],
  uses: ["kubeconfig", "csi-address"],
  flags: {
    output: choice(["table", "json"], "table", "Output format.", { aliases: ["o"] }),
    "older-than": duration(
      "15s",
      "Minimum age of a volume without PersistentVolume: the driver's volumes are listed twice, this long apart.",
      { check: notBelowZero },
    ),
    "name-prefix": text(
      "",
      "Compare only volumes whose id starts with this, as a whole or after its last / # or :, and their snapshots. Example: pvc-.",
    ),
    ignore: list([], "Ids of volumes and snapshots to leave out; * matches any text."),
    snapshots: bool(true, "Compare snapshots too, if the driver lists them and the cluster has the kinds."),
    ...impersonationFlags,
    "time-limit": duration("30s", "How long the API server and the driver may take for each answer.", { check: aboveZero }),
  },
  help: (program: string) =>
    "Compares the volumes that the driver lists with the PersistentVolumes of the cluster, and where they are published with the\n" +
    "VolumeAttachments if the driver reports that; and the snapshots that it lists with the VolumeSnapshotContents.\n" +
    `Reads only. Run it where ${program} runs: it needs --csi-address.\n` +
    "Exit code 0: no differences; 1: differences; 2: usage error, or the comparison failed or is incomplete: something could not be read.",
} satisfies SubCommand<FlagTable>;

/** `csi-sidecars audit`: what `help` above says. Changes nothing. */
export async function auditCommand(
  argv: readonly string[],
  program: SidecarProgram,
  environment: CommandEnvironment,
): Promise<CommandResult> {
  const line = readSubCommand(argv, command, program);
  if (line.asks === "nothing") return line.result.exitCode === exitCode.clean ? line.result : { ...line.result, exitCode: exitCode.misuse };
  const { values, settings } = line;
  const { clock, env, files } = environment;
  const timeoutMs = values.timeLimit;
  using kube = openKube(
    program,
    { ...settings.process, kubeconfig: callersKubeconfig(settings.process.kubeconfig, env, files) },
    environment,
    values,
  );
  if (!kube.access) return impossible(kube.unreachable?.unreachable ?? "");
  using driver = await openDriver(settings.process, clock, timeoutMs);
  if (!driver.access) {
    const because = driver.unreachable?.unreachable ?? "";
    return impossible(`${because}; ${driverRemedy(because)}`);
  }
  const cluster = clusterReader(kube.access, timeoutMs);
  try {
    const { name, client, capabilities } = driver.access;
    const able = await capabilities.controller({ timeoutMs });
    if (!able.has(ControllerRpc.LIST_VOLUMES)) {
      return impossible(
        `driver ${name} cannot list its volumes (it lacks the capability LIST_VOLUMES): compare with the storage's own tools`,
      );
    }
    const publishedNodes = able.has(ControllerRpc.LIST_VOLUMES_PUBLISHED_NODES);
    const listsSnapshots = able.has(ControllerRpc.LIST_SNAPSHOTS);
    const unlisted = values.snapshots && !listsSnapshots && able.has(ControllerRpc.CREATE_DELETE_SNAPSHOT);
    const inventory = await takeInventory({
      cluster,
      driver: { name, client },
      publishedNodes,
      snapshots: values.snapshots && listsSnapshots,
      clock,
      pauseMs: values.olderThan,
      timeoutMs,
      onPause: (listed) => environment.stderr?.write(`${pauseLine(name, listed, values.olderThan)}\n`),
    });
    if (!inventory) return impossible(...noteLines(cluster.notes), ...roleHint(cluster.notes, "audit"));
    const comparison = compare(inventory, { prefix: values.namePrefix, ignore: values.ignore });
    const notes = [
      ...[...cluster.notes, ...roleHint(cluster.notes, "audit")],
      ...(unlisted ? ["the driver cannot list its snapshots (it lacks the capability LIST_SNAPSHOTS): they are not compared"] : []),
      ...remarks(publishedNodes, inventory, comparison.differences.length > 0, values.olderThan),
    ];
    const stdout = values.output === "json" ? renderJson(comparison, inventory, notes) : renderTable(comparison, inventory, notes);
    return { exitCode: exitCodeOf(comparison), stdout, stderr: "" };
  } catch (error) {
    return impossible(`the comparison failed: ${messageWithCause(error)}`);
  }
}

/** Said on standard error: nothing happens for a while. */
function pauseLine(driver: string, { volumes, snapshots }: Listed, pauseMs: number): string {
  const listed = `${plural(volumes, "volume")}${snapshots === undefined ? "" : ` and ${plural(snapshots, "snapshot")}`}`;
  const when = `in ${formatDuration(pauseMs)} (--older-than)`;
  return visible(`driver ${driver} lists ${listed}; they are listed again ${when}, to tell apart what is only being created`);
}

function exitCodeOf({ differences, incomplete }: Comparison): ExitCode {
  if (differences.length > 0) return exitCode.failure;
  return incomplete ? exitCode.misuse : exitCode.clean;
}

/** As with `diff`, a failure has another exit code than a difference. */
function impossible(...because: readonly string[]): CommandResult {
  return { exitCode: exitCode.misuse, stdout: "", stderr: because.map((line) => `${visible(line)}\n`).join("") };
}

const unreadRemarks = {
  publications: "where volumes are published is not compared: that needs VolumeAttachments and CSINodes",
  snapshots: "snapshots are not compared: that needs VolumeSnapshotContents and VolumeGroupSnapshotContents",
} as const;

function remarks(publishedNodes: boolean, { unread = [], pendingClaims }: Inventory, differs: boolean, pauseMs: number): readonly string[] {
  return [
    ...unread.map((each) => unreadRemarks[each]),
    ...(publishedNodes ? [] : ["the driver does not report where volumes are published: VolumeAttachments are not compared"]),
    ...(differs ? claimRemarks(pendingClaims?.length, formatDuration(pauseMs)) : []),
  ];
}

/** A volume without PV may be one that is only being created. */
function claimRemarks(pendingClaims: number | undefined, pause: string): readonly string[] {
  if (pendingClaims === 0) return [];
  const unbound =
    pendingClaims === undefined
      ? "claims could not be read: a volume without PV may belong to one that is not bound"
      : `${pendingClaims === 1 ? "1 claim is" : `${pendingClaims} claims are`} not bound: a volume without PV may belong to one of them`;
  return [`${unbound} if the driver needs longer than ${pause}; run the audit again with a longer --older-than before you delete anything`];
}
