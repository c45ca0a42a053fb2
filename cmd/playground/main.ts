// `npm start`: a cluster to play with, on this machine alone. See options.ts for the flags.
import { join } from "node:path";
import { systemClock } from "@csi-sidecars/base";
import { builtProgram } from "./built-program.ts";
import { story } from "./demo.ts";
import { introduction } from "./introduction.ts";
import { showOnScreen, tellChanges } from "./live.ts";
import { type Options, Refusal, readOptions, usage } from "./options.ts";
import { play } from "./play.ts";
import { startParts } from "./start-parts.ts";

const interrupted = 130;

async function run(options: Options, stop: AbortController): Promise<number> {
  const { signal } = stop;
  const { stdin, stdout, env } = process;
  const tell = (line: string) => void stdout.write(`${line}\n`);
  const program = builtProgram(join(import.meta.dirname, "../.."), tell);
  const began = systemClock.monotonic();
  await using parts = await startParts(options, program, signal);
  const readyMs = systemClock.monotonic() - began;
  if (options.demo) {
    tell(`The cluster, the driver and csi-sidecars are ready after ${(readyMs / 1000).toFixed(1)} s.`);
    return (await play(story, { parts, signal, now: () => systemClock.monotonic(), tell })) ? 0 : 1;
  }
  const onScreen = stdout.isTTY && !env.NO_COLOR;
  const keyboard = onScreen && stdin.isTTY ? { input: stdin, stop: () => stop.abort() } : undefined;
  const view = { parts, signal, introduction: introduction(parts, { env, keyboard: keyboard !== undefined, readyMs }) };
  if (onScreen) await showOnScreen(view, stdout, keyboard);
  else await tellChanges(view, tell);
  return 0;
}

async function main(): Promise<number> {
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => stop.abort());
  // Whoever read the output is gone.
  process.stdout.on("error", () => stop.abort());
  try {
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
