import { dirname, join } from "node:path";
import type { Caretaker } from "./caretaker.ts";
import { driverName } from "./cluster-objects.ts";
import { type DriverControl, driverControl } from "./driver-control.ts";
import { eventually } from "./eventually.ts";
import { Refusal } from "./options.ts";
import { Supervised } from "./supervised.ts";
import type { Workplace } from "./workplace.ts";

/** The CSI driver in its own process. */
export interface Driver extends AsyncDisposable {
  readonly process: Supervised;
  /** The path of its socket. */
  readonly socket: string;
  readonly control: DriverControl;
}

export interface DriverPlan {
  readonly workplace: Workplace;
  readonly nodes: readonly string[];
  readonly caretaker: Caretaker;
  readonly signal: AbortSignal;
}

/** Starts the driver; volumes can be attached to all nodes. Resolves when it serves. */
export async function startDriver({ workplace, nodes, caretaker, signal }: DriverPlan): Promise<Driver> {
  const { folder, volumes } = workplace;
  const socket = join(folder, "csi.sock");
  const controlSocket = join(folder, "control.sock");
  const [first = "", ...others] = nodes;
  const args = [
    join(import.meta.dirname, "driver-main.ts"),
    `--drivername=${driverName}`,
    `--endpoint=unix://${socket}`,
    `--control-endpoint=unix://${controlSocket}`,
    `--statedir=${volumes}`,
    `--nodeid=${first}`,
    ...(others.length > 0 ? [`--nodes=${others.join(",")}`] : []),
    "--enable-attach",
    "--enable-topology=false",
    "--mount-mode=none",
    "--v=3",
  ];
  const running = new Supervised({ program: process.execPath, args, env: {}, logFile: join(folder, "driver.log"), caretaker });
  const control = driverControl(controlSocket);
  running.start();
  try {
    await eventually(
      "the driver's socket",
      () => {
        if (running.restarts > 0) throw refusalOf(running.lastWords(1), volumes);
        return control.volumes().catch(() => undefined);
      },
      { signal },
    );
  } catch (error) {
    await running.stop();
    throw error;
  }
  return { process: running, socket, control, [Symbol.asyncDispose]: () => running.stop() };
}

function refusalOf(lastWords: string, volumes: string): Refusal {
  if (lastWords.includes("in use by another driver"))
    return new Refusal(`--state: another playground works in ${dirname(volumes)}; end it, or give another folder`);
  return new Refusal(`the driver does not start: ${lastWords}`);
}
