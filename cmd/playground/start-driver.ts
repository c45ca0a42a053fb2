import { join } from "node:path";
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

/** Starts the driver; volumes can be attached to all nodes. Resolves when it serves. */
export async function startDriver(workplace: Workplace, nodes: readonly string[], signal: AbortSignal): Promise<Driver> {
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
  const process_ = new Supervised({ program: process.execPath, args, env: {}, logFile: join(folder, "driver.log") });
  const control = driverControl(controlSocket);
  process_.start();
  try {
    await eventually(
      "the driver's socket",
      () => {
        if (process_.restarts > 0) throw new Refusal(`the driver does not start: ${process_.lastWords(1)}`);
        return control.volumes().catch(() => undefined);
      },
      { signal },
    );
  } catch (error) {
    await process_.stop();
    throw error;
  }
  return { process: process_, socket, control, [Symbol.asyncDispose]: () => process_.stop() };
}
