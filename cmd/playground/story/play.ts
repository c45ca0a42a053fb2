import { type Clock, messageOf } from "@csi-sidecars/base";
import { eventually } from "../eventually.ts";
import type { Story } from "./story.ts";

export interface Stage {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly tell: (line: string) => void;
  /** What the sidecar said last. */
  readonly lastWords: () => string;
  /** What the cluster complains about. */
  readonly lastWarning: () => Promise<string | undefined>;
}

/** After so long a silence it is said what is waited for. */
const silenceMs = 5_000;

/** Plays the steps in order and tells what is seen; false as soon as something is not seen. */
export async function play({ steps, remarks }: Story, stage: Stage): Promise<boolean> {
  const { signal, clock, tell, lastWords } = stage;
  const now = () => clock.monotonic();
  const began = now();
  for (const remark of remarks) tell(remark);
  for (const [i, step] of steps.entries()) {
    tell(`${i + 1}. ${step.title}.`);
    const start = now();
    const sayMore = silenceBreaker(step.expected, stage);
    let obstacle: unknown;
    // A driver that is just starting cannot be asked yet.
    const look = async () => {
      const found = await step.look().catch((error: unknown) => {
        signal.throwIfAborted();
        obstacle = error;
        return undefined;
      });
      if (found === undefined) await sayMore();
      return found;
    };
    try {
      await step.act(signal);
      tell(`   ${await eventually(step.expected, look, { signal, clock })}  [${Math.round(now() - start)} ms]`);
    } catch (error) {
      if (signal.aborted) throw error;
      tell(`   FAILED: ${messageOf(error)}${obstacle === undefined ? "" : ` (${messageOf(obstacle)})`}`);
      tell(`The last lines of csi-sidecars:\n${lastWords()}`);
      return false;
    }
  }
  tell(`Everything was seen: ${steps.length} steps in ${((now() - began) / 1000).toFixed(1)} s.`);
  return true;
}

/** Tells every few seconds what is waited for and what the cluster complains about, as long as that is news. */
function silenceBreaker(expected: string, { clock, tell, lastWarning }: Stage): () => Promise<void> {
  let spoke = clock.monotonic();
  let said: string | undefined;
  return async () => {
    if (clock.monotonic() - spoke < silenceMs) return;
    spoke = clock.monotonic();
    const warning = await lastWarning().catch(() => undefined);
    const line = `   waiting for ${expected}${warning ? `; ${warning}` : ""}`;
    if (line !== said) tell(line);
    said = line;
  };
}
