import { messageOf } from "@csi-sidecars/base";
import { corpusOf } from "./corpus.ts";
import { keptMemory, maxMemory, peakMemory } from "./memory.ts";
import { minimise } from "./minimise.ts";
import { mutate } from "./mutate.ts";
import { Random } from "./random.ts";
import { Finding, type Subject, type Target } from "./target.ts";
import { startWatchdog } from "./watchdog.ts";

/** What one input may cost: far above what any takes, below what quadratic time would. */
const maxCpuMs = 3_000;
const maxWaitMs = 20_000;
const minimiseMs = 15_000;

export interface RunOptions {
  readonly seed: number;
  /** How long new cases are tried, after the corpus. */
  readonly seconds: number;
  /** Only this case, as a failure names it; below zero: one of the corpus. */
  readonly only?: number;
  print(line: string): void;
}

/** Tries the corpus of a target and then new cases until time is up or one fails. Returns whether all of them passed. */
export async function fuzz(target: Target, { seed, seconds, only, print }: RunOptions): Promise<boolean> {
  const command = `npm run fuzz -- --target ${target.name} --seed ${seed}`;
  const watchdog = startWatchdog(maxWaitMs + 10_000, command);
  const subject = await target.open();
  const trial = new Trial(subject);
  const attempt = async (number: number, input: Uint8Array): Promise<boolean> => {
    watchdog.began(number);
    if (only !== undefined) print(`input: ${JSON.stringify(Buffer.from(input).toString("latin1"))}`);
    const failure = await trial.failure(input);
    if (!failure) return true;
    print(`fuzz: ${target.name}: case ${number} of seed ${seed} fails: ${failure.message}`);
    const smallest = await minimise(input, (smaller) => trial.failsAlike(smaller, failure), minimiseMs);
    print(`minimised from ${input.length} to ${smallest.length} bytes: ${JSON.stringify(Buffer.from(smallest).toString("latin1"))}`);
    print(`  which fails: ${(await trial.failure(smallest))?.message ?? "no longer"}`);
    print(`run it again: ${command} --case ${number}`);
    print(`once it is corrected, keep the minimised input in test/fuzz/corpus/${target.name}.json`);
    return false;
  };
  try {
    const corpus = corpusOf(target.name);
    for (const [index, input] of corpus.entries()) {
      if ((only === undefined || only === -1 - index) && !(await attempt(-1 - index, input))) return false;
    }
    if (only !== undefined) return only < 0 || (await attempt(only, caseOf(target, seed, only)));
    const end = performance.now() + seconds * 1_000;
    const start = keptMemory();
    let number = 0;
    for (; performance.now() < end; number++) if (!(await attempt(number, caseOf(target, seed, number)))) return false;
    const growth = keptMemory() - start;
    print(`${target.name}: ${corpus.length} kept and ${number} new cases passed (seed ${seed}, grew by ${Math.round(growth / 1024)} KiB)`);
    if (growth > maxMemory) print(`fuzz: ${target.name}: the process grew by more than ${maxMemory / 2 ** 20} MiB with seed ${seed}`);
    return growth <= maxMemory;
  } finally {
    await subject.close?.();
    watchdog.stop();
  }
}

/** Each case has a seed of its own, so that one can be repeated without those before it. */
function caseOf(target: Target, seed: number, number: number): Uint8Array {
  const random = new Random(Bun.hash.crc32(`${seed} ${number}`));
  return mutate(target.generate(random), random, target);
}

/** Tries inputs on a subject; an error that nobody handles counts as a failure too. */
class Trial {
  readonly #subject: Subject;
  readonly #stray: unknown[] = [];

  constructor(subject: Subject) {
    this.#subject = subject;
    for (const event of ["unhandledRejection", "uncaughtException"] as const) process.on(event, (error) => this.#stray.push(error));
  }

  async failure(input: Uint8Array): Promise<Error | undefined> {
    const [before, peak] = [process.cpuUsage(), peakMemory()];
    try {
      const checked = this.#subject.check(input);
      if (checked) await within(maxWaitMs, checked);
      // An error that nobody handles comes after the one that was: this case must answer for it, not the next.
      if (checked) for (let turn = 0; turn < 3; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
      const { user, system } = process.cpuUsage(before);
      if (user + system > maxCpuMs * 1_000) throw new Finding(`${input.length} bytes took more than ${maxCpuMs} ms of CPU time`);
      if (peakMemory() - peak > maxMemory) throw new Finding(`${input.length} bytes took more than ${maxMemory / 2 ** 20} MiB of memory`);
      const [stray] = this.#stray.splice(0).filter((error) => !this.#subject.isKnown?.(error, input));
      if (stray !== undefined) throw new Finding(`an error that nobody handles: ${described(stray)}`);
      return undefined;
    } catch (error) {
      return error instanceof Finding ? error : new Finding(`an error of an unexpected type: ${described(error)}`);
    }
  }

  /** Whether it fails with the same words, whatever numbers and texts they quote. */
  async failsAlike(input: Uint8Array, failure: Error): Promise<boolean> {
    const other = await this.failure(input);
    return other !== undefined && kindOf(other) === kindOf(failure);
  }
}

const kindOf = ({ message }: Error) => message.split("\n")[0]?.replace(/"[^"]*"|\d+/g, "_");

function described(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${messageOf(error)}\n${error.stack ?? ""}` : String(error);
}

async function within(limitMs: number, checked: Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Finding(`it did not end within ${limitMs / 1_000} s`)), limitMs);
  try {
    await Promise.race([checked, promise]);
  } finally {
    clearTimeout(timer);
  }
}
