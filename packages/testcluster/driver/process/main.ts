import type { DriverOptions } from "../driver-options.ts";
import { startScriptedDriver } from "../scripted-driver.ts";
import { fromJson, serveControl } from "./control-channel.ts";
import { operationsOn } from "./operations.ts";

/**
 * A scripted driver as a process: `bun main.ts '{"socket":"/tmp/x/csi.sock","control":"/tmp/x/control.sock","capabilities":"full"}'`.
 * Says `ready` when it serves. With `exitWithParent` it ends when its standard input does, so that no test leaves it behind.
 */
interface ProcessOptions extends DriverOptions {
  readonly socket: string;
  readonly control: string;
  readonly exitWithParent?: boolean;
}

const options = fromJson(process.argv[2] ?? "{}") as ProcessOptions;
if (!options.socket || !options.control) throw new Error("the first argument must be JSON with the paths socket and control");
const driver = await startScriptedDriver(options);
const control = await serveControl(options.control, operationsOn(driver));
const end = async () => {
  control.close();
  await driver.stop();
  process.exit(0);
};
process.once("SIGTERM", end);
process.once("SIGINT", end);
if (options.exitWithParent) process.stdin.resume().once("end", end).once("error", end);
process.stdout.write("ready\n");
