// `npm start`: a local cluster to try the program with. See options.ts for the flags.
import { join } from "node:path";
import { systemClock } from "@csi-sidecars/base";
import { builtPrograms } from "./built-programs.ts";
import { demoFor } from "./demo/demo.ts";
import { lastWarning, runDemo } from "./demo/run-demo.ts";
import { type Options, readOptions, refuseSwallowedFlags, usage } from "./options.ts";
import { startPlayground } from "./playground.ts";
import { interrupted, stopOnSignals, stopWithNpm } from "./processes/stop-signals.ts";
import { UserError } from "./user-error.ts";
import { introduction } from "./view/introduction.ts";
import { printChanges, showOnScreen } from "./view/live-view.ts";

async function run(options: Options, stop: AbortController): Promise<number> {
  const { signal } = stop;
  const { stdin, stdout, stderr, env } = process;
  const print = (line: string) => void stdout.write(`${line}\n`);
  const programs = await builtPrograms(join(import.meta.dirname, "../.."), print, signal);
  const warn = (line: string) => void stderr.write(`playground: ${line}\n`);
  const began = systemClock.monotonic();
  await using playground = await startPlayground({ options, programs, env, signal, warn });
  const readyMs = systemClock.monotonic() - began;
  if (options.demo) {
    const { admin, driver, sidecar, snapshotController } = playground;
    const what = driver.hostpath ? "The cluster, the driver" : `Your driver ${driver.info.name}, the cluster`;
    print(`${what} and csi-sidecars are ready after ${(readyMs / 1000).toFixed(1)} s.`);
    const output = {
      signal,
      clock: systemClock,
      print,
      logTails: () => ({
        "csi-sidecars": sidecar.process.logTail(10),
        ...(snapshotController && { "snapshot-controller": snapshotController.process.logTail(10) }),
      }),
      lastWarning: () => lastWarning(admin),
    };
    return (await runDemo(await demoFor(playground), output)) ? 0 : 1;
  }
  const onScreen = stdout.isTTY && env.TERM !== "dumb" && !options.lines;
  const keyboard = stdin.isTTY ? { input: stdin, stop: () => stop.abort() } : undefined;
  const above = introduction(playground, { env, keyboard: keyboard !== undefined, readyMs });
  const view = { playground, signal, introduction: above, ...(keyboard && { keyboard }) };
  if (onScreen) await showOnScreen(view, stdout, !env.NO_COLOR);
  else await printChanges(view, print);
  return 0;
}

async function main(): Promise<number> {
  const stop = new AbortController();
  stopOnSignals(stop);
  stopWithNpm(process.env, stop);
  try {
    refuseSwallowedFlags(process.env);
    const options = readOptions(process.argv.slice(2));
    if (options.help) {
      process.stdout.write(usage);
      return 0;
    }
    return await run(options, stop);
  } catch (error) {
    if (stop.signal.aborted) return interrupted;
    const known = error instanceof UserError;
    process.stderr.write(`playground: ${known ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
    return known ? error.exitCode : 1;
  }
}

process.exit(await main());
