import type { RunProgram } from "./run-program.ts";

/** Lets only so many programs run at a time: a thousand copies at once would leave the host neither processes nor files. */
export function runFew(run: RunProgram, most: number): RunProgram {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (program, args) => {
    if (running >= most) await new Promise<void>((go) => waiting.push(go));
    else running++;
    try {
      return await run(program, args);
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
