import { messageOf, systemErrorCode } from "@csi-sidecars/base";
import { aboveZero, bool, duration, exitCode, type FlagTable, type SidecarProgram, text } from "@csi-sidecars/host";
import { type CommandResult, readSubCommand, type SubCommand } from "@csi-sidecars/host/sub-commands";
import type { CommandEnvironment } from "../access/connect.ts";
import { parseExposition } from "./parse-exposition.ts";
import { type Glance, renderTop, topMetrics } from "./render-top.ts";

const command = {
  name: "top",
  examples: ["top --url=http://127.0.0.1:9808", "top --once"],
  uses: ["http-endpoint", "metrics-path"],
  flags: {
    url: text("", "Address of the HTTP server of the process: http://host:port; by --http-endpoint if empty, else http://127.0.0.1:9808."),
    interval: duration("2s", "Pause between two looks.", { check: aboveZero }),
    once: bool(false, "Look once."),
  },
  help: () =>
    "Shows what a running process works on: controllers, leases, queues, calls that the driver has not answered, the time that its clients waited for their request limit, memory and CPU.\n" +
    "Reads /readyz and the metrics of its HTTP server. On a terminal the view is refreshed in place, elsewhere each look is printed below the last.\n" +
    "Exit code 0: ended by a signal, or --once; 1: the process does not answer, or is another program; 2: usage error.",
} satisfies SubCommand<FlagTable>;

const clearScreen = "\u001b[H\u001b[2J";
const timeLimitMs = 5_000;

/** `csi-sidecars top`: what `help` above says. Ends with the first look that gets no answer. */
export async function topCommand(
  argv: readonly string[],
  program: SidecarProgram,
  { clock, stdout, signals }: CommandEnvironment,
  isTerminal: boolean = process.stdout.isTTY === true,
): Promise<CommandResult> {
  const line = readSubCommand(argv, command, program);
  if (line.asks === "nothing") return line.result;
  const { values, settings } = line;
  const url = (values.url || urlOf(settings.process.httpEndpoint)).replace(/\/$/, "");
  if (!URL.canParse(url))
    return { exitCode: exitCode.misuse, stdout: "", stderr: `invalid value ${JSON.stringify(url)} for flag --url: use http://host:port\n` };
  const stop = new AbortController();
  const unsubscribe = signals?.(() => stop.abort());
  let before: Glance | undefined;
  try {
    while (!stop.signal.aborted) {
      const now = await look(url, settings.process.metricsPath, clock.monotonic());
      const view = renderTop(now, before);
      if (values.once) return { exitCode: exitCode.clean, stdout: view, stderr: "" };
      stdout?.write(isTerminal ? `${clearScreen}${view}` : view);
      if (stdout?.isGone?.()) break;
      before = now;
      await clock.sleep(values.interval, stop.signal).catch(() => undefined);
    }
    return { exitCode: exitCode.clean, stdout: "", stderr: "" };
  } catch (error) {
    return { exitCode: exitCode.failure, stdout: "", stderr: `${messageOf(error)}\n` };
  } finally {
    unsubscribe?.();
  }
}

/** Where a server that listens at an address, as `--http-endpoint` has it, answers on the same machine. */
export function urlOf(httpEndpoint: string): string {
  if (httpEndpoint === "") return "http://127.0.0.1:9808";
  const colon = httpEndpoint.lastIndexOf(":");
  const host = httpEndpoint.slice(0, colon);
  return `http://${["", "0.0.0.0", "[::]"].includes(host) ? "127.0.0.1" : host}${httpEndpoint.slice(colon)}`;
}

async function look(url: string, metricsPath: string, at: number): Promise<Glance> {
  const [checks, metrics] = await Promise.all([
    // It fails where a check does, and has the lines all the same.
    answerOf(`${url}/readyz?verbose`, [200, 500], "is this the --http-endpoint of the process?"),
    answerOf(`${url}${metricsPath}`, [200], "is --metrics-path the one of the process?"),
  ]);
  const lines = checks.split("\n").filter((line) => /^\[[+-]\]/.test(line));
  return { url, checks: lines, samples: parseExposition(metrics, topMetrics), at };
}

async function answerOf(url: string, expected: readonly number[], hint: string): Promise<string> {
  let response: Response;
  try {
    response = await fetch(url, { signal: AbortSignal.timeout(timeLimitMs) });
  } catch (error) {
    throw new Error(`no answer from ${url}: ${whyNoAnswer(error)}`);
  }
  if (!expected.includes(response.status)) throw new Error(`${url} answers ${response.status}: ${hint}`);
  return response.text();
}

/** The runtime says of a port where nobody listens that the computer may not be able to access it. */
function whyNoAnswer(error: unknown): string {
  if (systemErrorCode(error) !== "ECONNREFUSED") return messageOf(error);
  return "nobody listens there: does the process run with --http-endpoint, and is its port forwarded (kubectl port-forward)?";
}
