import type { RunProgram } from "../run-program.ts";

/** The loop devices of files: a file that is published as a block volume has exactly one. */
export interface LoopDevices {
  /** The device of a file, made when there is none. */
  attach(file: string): Promise<string>;
  find(file: string): Promise<string | undefined>;
  detach(file: string): Promise<void>;
  /** Lets a device see that its file has grown. */
  refresh(file: string): Promise<void>;
}

/** Loop devices by `losetup`. */
export function loopDevices(run: RunProgram): LoopDevices {
  const find = async (file: string) => /^(\/dev\/[^:]+):/m.exec(await run("losetup", ["-j", file]))?.[1];
  return {
    find,
    attach: async (file) => (await find(file)) ?? (await run("losetup", ["--find", "--show", file])).trim(),
    async detach(file) {
      const device = await find(file);
      if (device) await run("losetup", ["-d", device]);
    },
    async refresh(file) {
      const device = await find(file);
      if (device) await run("losetup", ["-c", device]);
    },
  };
}
