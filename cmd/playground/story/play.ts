import { messageOf } from "@csi-sidecars/base";
import { eventually } from "../eventually.ts";
import type { Story } from "./story.ts";

export interface Stage {
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly tell: (line: string) => void;
  /** What the sidecar said last. */
  readonly lastWords: () => string;
}

/** Plays the steps in order and tells what is seen; false as soon as something is not seen. */
export async function play({ steps, remarks }: Story, { signal, now, tell, lastWords }: Stage): Promise<boolean> {
  const began = now();
  for (const remark of remarks) tell(remark);
  for (const [i, step] of steps.entries()) {
    tell(`${i + 1}. ${step.title}.`);
    const start = now();
    let obstacle: unknown;
    // A driver that is just starting cannot be asked yet.
    const look = () =>
      step.look().catch((error: unknown) => {
        signal.throwIfAborted();
        obstacle = error;
        return undefined;
      });
    try {
      await step.act(signal);
      tell(`   ${await eventually(step.expected, look, { signal })}  [${Math.round(now() - start)} ms]`);
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
