import { existsSync } from "node:fs";
import { join } from "node:path";
import { Channel, driverClient } from "@csi-sidecars/csi";
import { zoneKey } from "@csi-sidecars/hostpath";
import type { PlannedNode } from "../cluster/planned-nodes.ts";
import { eventually } from "../eventually.ts";
import type { Caretaker } from "../processes/caretaker.ts";
import { Supervised } from "../processes/supervised.ts";
import { Refusal } from "../refusal.ts";
import type { Workplace } from "../state/workplace.ts";
import type { Driver } from "./driver.ts";
import { askDriver } from "./driver-facts.ts";
import { hostpathControl } from "./hostpath-control.ts";

const hostpathName = "hostpath.csi.k8s.io";

export interface HostpathPlan {
  readonly workplace: Workplace;
  readonly nodes: readonly PlannedNode[];
  readonly caretaker: Caretaker;
  readonly signal: AbortSignal;
}

const patienceMs = 30_000;

/** Starts the hostpath driver in its own process, for all nodes. Resolves when it serves. */
export async function startHostpath({ workplace, nodes, caretaker, signal }: HostpathPlan): Promise<Driver> {
  const { folder, volumes } = workplace;
  const socket = join(folder, "csi.sock");
  const controlSocket = join(folder, "control.sock");
  const args = [join(import.meta.dirname, "hostpath-main.ts"), ...hostpathFlags({ socket, controlSocket, volumes, nodes })];
  const running = new Supervised({ program: process.execPath, args, env: {}, logFile: join(folder, "driver.log"), caretaker });
  const control = hostpathControl(controlSocket);
  running.start();
  try {
    await eventually(
      "the driver's socket",
      () => {
        if (running.restarts > 0) throw new Refusal(`the driver does not start: ${running.lastWords(1)}`);
        return existsSync(socket) ? control.volumes().catch(() => undefined) : undefined;
      },
      { signal },
    );
    const channel = new Channel({ target: { kind: "unix", path: socket } });
    const client = driverClient(channel);
    return {
      facts: await askDriver(client, { timeoutMs: patienceMs, signal }),
      socket,
      hostpath: { process: running, control, client },
      nodeFacts: ({ name, zone }) => ({ id: name, segments: { ...(zone !== undefined && { [zoneKey]: zone }) }, limit: 0 }),
      look: () =>
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
    "--mount-mode=symlink",
    "--v=3",
  ];
}
