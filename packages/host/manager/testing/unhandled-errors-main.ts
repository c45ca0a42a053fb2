import { realProcessEnv } from "../../program/process-env.ts";
import { runProgram } from "../../program/run-program.ts";
import { fake } from "./components.ts";

const simple = { leadership: "none", driver: "none" } as const;
let starts = 0;

/** Throws and rejects where nobody catches it, once in each of its first runs. */
const careless = fake("careless", {
  ...simple,
  async start(context) {
    starts++;
    if (starts === 1) setTimeout(() => fail("thrown in a timer of its own"), 1);
    if (starts === 2) void context.clock.sleep(1, AbortSignal.abort(new TypeError("rejected, and nobody waited")));
    if (starts === 3) void Promise.resolve().then(() => fail("rejected by whom"));
    return { done: new Promise<void>((resolve) => context.signal.addEventListener("abort", () => resolve())) };
  },
});

function fail(message: string): never {
  throw new TypeError(message);
}

/** Always the last one that ran. */
const careful = fake("careful", {
  ...simple,
  async start({ clock, signal }) {
    const work = async () => {
      while (!signal.aborted) await clock.sleep(1, signal).catch(() => undefined);
    };
    return { done: work() };
  },
});

const components = [careless, careful];
process.exit(await runProgram({ name: "csi-sidecars", version: "v0", form: "all-in-one", components }, realProcessEnv()));
