// `npm start`: a cluster to play with, on this machine alone. See options.ts for the flags.
import { join } from "node:path";
import { systemClock } from "@csi-sidecars/base";
import { builtProgram } from "./built-program.ts";
import { type Options, readOptions, usage } from "./options.ts";
import { stopWithNpm } from "./processes/stop-with-npm.ts";
import { Refusal } from "./refusal.ts";
import { startParts } from "./start-parts.ts";
import { lastWarning } from "./story/last-warning.ts";
import { play } from "./story/play.ts";
import { storyOf } from "./story/story.ts";
import { refuseSwallowedFlags } from "./swallowed-flags.ts";
import { introduction } from "./view/introduction.ts";
import { showOnScreen, tellChanges } from "./view/live.ts";

const interrupted = 130;
/** npm hands Ctrl-C on to a program that has got it already: what follows so soon is the same one. */
const sameCtrlCMs = 1_000;

async function run(options: Options, stop: AbortController): Promise<number> {
  const { signal } = stop;
  const { stdin, stdout, env } = process;
  const tell = (line: string) => void stdout.write(`${line}\n`);
  const program = await builtProgram(join(import.meta.dirname, "../.."), tell, signal);
  const began = systemClock.monotonic();
  await using parts = await startParts({ options, program, env, signal });
  const readyMs = systemClock.monotonic() - began;
  if (options.demo) {
    const { admin, driver, sidecar } = parts;
    const what = driver.hostpath ? "The cluster, the driver" : `Your driver ${driver.facts.name}, the cluster`;
    tell(`${what} and csi-sidecars are ready after ${(readyMs / 1000).toFixed(1)} s.`);
    const stage = {
      signal,
      clock: systemClock,
      tell,
      lastWords: () => sidecar.process.lastWords(10),
      lastWarning: () => lastWarning(admin),
    };
    return (await play(await storyOf(parts), stage)) ? 0 : 1;
  }
  const onScreen = stdout.isTTY && !env.NO_COLOR && env.TERM !== "dumb";
  const keyboard = onScreen && stdin.isTTY ? { input: stdin, stop: () => stop.abort() } : undefined;
  const view = { parts, signal, introduction: introduction(parts, { env, keyboard: keyboard !== undefined, readyMs }) };
  if (onScreen) await showOnScreen(view, stdout, keyboard);
  else await tellChanges(view, tell);
  return 0;
}

/** Stops in good order on the first signal; on a further one at once, and the caretaker clears up. */
function stopOnSignals(stop: AbortController): void {
  let first = Number.POSITIVE_INFINITY;
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(name, () => {
      const now = systemClock.monotonic();
      if (now - first > sameCtrlCMs) process.exit(interrupted);
      first = Math.min(first, now);
      stop.abort();
    });
  }
  // Whoever read the output is gone.
  process.stdout.on("error", () => stop.abort());
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
    const known = error instanceof Refusal;
    process.stderr.write(`playground: ${known ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
    return known ? error.exitCode : 1;
  }
}

process.exit(await main());
