import type { Step } from "./demo.ts";
import { eventually } from "./eventually.ts";
import type { Parts } from "./start-parts.ts";

export interface Stage {
  readonly parts: Parts;
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly tell: (line: string) => void;
}

/** Plays the steps in order and tells what is seen; false as soon as something is not seen. */
export async function play(steps: readonly Step[], { parts, signal, now, tell }: Stage): Promise<boolean> {
  const began = now();
  for (const [i, step] of steps.entries()) {
    tell(`${i + 1}. ${step.title}.`);
    const start = now();
    try {
      await step.act(parts, signal);
      // A driver that is just starting cannot be asked yet.
      const seen = await eventually(step.expected, () => step.look(parts).catch(forgive(signal)), { signal });
      tell(`   ${seen}  [${Math.round(now() - start)} ms]`);
    } catch (error) {
      if (signal.aborted) throw error;
      tell(`   FAILED: ${error instanceof Error ? error.message : String(error)}`);
      tell(`The last lines of csi-sidecars:\n${parts.sidecar.process.lastWords(10)}`);
      return false;
    }
  }
  tell(`Everything was seen: ${steps.length} steps in ${((now() - began) / 1000).toFixed(1)} s.`);
  return true;
}

const forgive = (signal: AbortSignal) => (error: unknown) => {
  if (signal.aborted) throw error;
  return undefined;
};
