import { type Clock, messageOf } from "@csi-sidecars/base";
import { type Client, Event, type V1Event } from "@csi-sidecars/kube";
import { waitUntil } from "../wait-until.ts";
import type { Demo } from "./demo.ts";

/** Where a demo prints, and what it can read to explain a delay or a failure. */
export interface DemoOutput {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly print: (line: string) => void;
  /** The last lines of the programs' logs, by the name of the program. */
  readonly logTails: () => Readonly<Record<string, string>>;
  /** The most recent warning event of the cluster. */
  readonly lastWarning: () => Promise<string | undefined>;
}

/** How often a step that takes long reports what it waits for. */
const progressMs = 5_000;

/** Runs the steps in order and prints their results. Returns false as soon as one of them fails. */
export async function runDemo({ steps, remarks }: Demo, output: DemoOutput): Promise<boolean> {
  const { signal, clock, print, logTails } = output;
  const now = () => clock.monotonic();
  const began = now();
  for (const remark of remarks) print(remark);
  for (const [i, step] of steps.entries()) {
    print(`${i + 1}. ${step.title}.`);
    const start = now();
    const reportProgress = progressReporter(step.expected, output);
    let obstacle: unknown;
    // A driver that is still starting does not answer yet.
    const check = async () => {
      const found = await step.check().catch((error: unknown) => {
        signal.throwIfAborted();
        obstacle = error;
        return undefined;
      });
      if (found === undefined) await reportProgress();
      return found;
    };
    try {
      await step.act(signal);
      print(`   ${await waitUntil(step.expected, check, { signal, clock })}  [${Math.round(now() - start)} ms]`);
    } catch (error) {
      if (signal.aborted) throw error;
      print(`   FAILED: ${messageOf(error)}${obstacle === undefined ? "" : ` (${messageOf(obstacle)})`}`);
      for (const [program, lines] of Object.entries(logTails())) print(`The last lines of ${program}:\n${lines}`);
      return false;
    }
  }
  print(`All ${steps.length} steps passed in ${((now() - began) / 1000).toFixed(1)} s.`);
  return true;
}

/** Prints every few seconds what is waited for and the last warning, if the line is a new one. */
function progressReporter(expected: string, { clock, print, lastWarning }: DemoOutput): () => Promise<void> {
  let reportedAt = clock.monotonic();
  let reported: string | undefined;
  return async () => {
    if (clock.monotonic() - reportedAt < progressMs) return;
    reportedAt = clock.monotonic();
    const warning = await lastWarning().catch(() => undefined);
    const line = `   waiting for ${expected}${warning ? `; ${warning}` : ""}`;
    if (line !== reported) print(line);
    reported = line;
  };
}

/** The most recent warning event of the cluster: often the reason why a step is not done yet. */
export async function lastWarning(admin: Client): Promise<string | undefined> {
  const { items } = await admin.list(Event);
  const newest = items.filter(({ type }) => type === "Warning").sort((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1))[0];
  if (!newest) return undefined;
  const { reason, message, involvedObject } = newest;
  return `${reason} ${involvedObject.kind}/${involvedObject.name}: ${message}`;
}

const timeOf = ({ series, lastTimestamp, eventTime, metadata }: V1Event): string =>
  series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata?.creationTimestamp ?? "";
