import { existsSync } from "node:fs";
import { join } from "node:path";
import { Channel, driverClient } from "@csi-sidecars/csi";
import { zoneKey } from "@csi-sidecars/hostpath";
import type { PlannedNode } from "../cluster/nodes.ts";
import type { Reaper } from "../processes/reaper.ts";
import { SupervisedProcess } from "../processes/supervised-process.ts";
import type { RunFolders } from "../state/run-folders.ts";
import { UserError } from "../user-error.ts";
import { waitUntil } from "../wait-until.ts";
import { type Driver, readDriverInfo } from "./driver.ts";
import { hostpathControl } from "./hostpath-control.ts";

const hostpathName = "hostpath.csi.k8s.io";

/** What a VolumeAttributesClass can change; the driver only remembers it. */
const mutableParameters = ["iops", "throughput"];

export interface HostpathPlan {
  readonly folders: RunFolders;
  readonly nodes: readonly PlannedNode[];
  readonly reaper: Reaper;
  readonly signal: AbortSignal;
}

const timeoutMs = 30_000;

/** Starts the hostpath driver in its own process, for all nodes. Resolves when it serves. */
export async function startHostpath({ folders, nodes, reaper, signal }: HostpathPlan): Promise<Driver> {
  const { folder, volumes } = folders;
  const socket = join(folder, "csi.sock");
  const controlSocket = join(folder, "control.sock");
  const args = [join(import.meta.dirname, "hostpath-main.ts"), ...hostpathFlags({ socket, controlSocket, volumes, nodes })];
  const running = new SupervisedProcess({ program: process.execPath, args, env: {}, logFile: join(folder, "driver.log"), reaper });
  const control = hostpathControl(controlSocket);
  running.start();
  try {
    await waitUntil(
      "the driver's socket",
      () => {
        if (running.restarts > 0) throw new UserError(`the driver does not start: ${running.logTail(1)}`);
        return existsSync(socket) ? control.volumes().catch(() => undefined) : undefined;
      },
      { signal },
    );
    const channel = new Channel({ target: { kind: "unix", path: socket } });
    const client = driverClient(channel);
    return {
      info: await readDriverInfo(client, { timeoutMs, signal }),
      socket,
      client,
      hostpath: { process: running, control },
      nodeInfo: ({ name, zone }) => ({ id: name, segments: { ...(zone !== undefined && { [zoneKey]: zone }) }, limit: 0 }),
      health: () =>
        control.volumes().then(
          (found) => ({ answers: true, volumes: found.length }),
          () => ({ answers: false }),
        ),
      volumeIds: async () => new Set((await control.volumes()).map(({ id }) => id)),
      async [Symbol.asyncDispose]() {
        channel.close();
        await running.stop();
      },
    };
  } catch (error) {
    await running.stop();
    throw error;
  }
}

interface FlagPlan {
  readonly socket: string;
  readonly controlSocket: string;
  readonly volumes: string;
  readonly nodes: readonly PlannedNode[];
}

function hostpathFlags({ socket, controlSocket, volumes, nodes }: FlagPlan): readonly string[] {
  const [first, ...others] = nodes;
  const zones = nodes.flatMap(({ name, zone }) => (zone === undefined ? [] : [`${name}=${zone}`]));
  return [
    `--drivername=${hostpathName}`,
    `--endpoint=unix://${socket}`,
    `--control-endpoint=unix://${controlSocket}`,
    `--statedir=${volumes}`,
    `--nodeid=${first?.name}`,
    ...(others.length > 0 ? [`--nodes=${others.map(({ name }) => name).join(",")}`] : []),
    ...(zones.length > 0 ? [`--zones=${zones.join(",")}`] : ["--enable-topology=false"]),
    "--enable-attach",
    "--enable-controller-modify-volume",
    `--accepted-mutable-parameter-names=${mutableParameters.join(",")}`,
    "--mount-mode=symlink",
    "--v=3",
  ];
}
