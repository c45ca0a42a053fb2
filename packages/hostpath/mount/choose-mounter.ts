import { mkdir, mkdtemp, rmdir } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "@csi-sidecars/base";
import type { RunProgram } from "../run-program.ts";
import { bindMounter } from "./bind-mounter.ts";
import { emptyMounter, symlinkMounter } from "./link-mounter.ts";
import type { Mounter, MountMode } from "./mounter.ts";

/** The mounter for a mode; `auto` takes real mounts where they work (tried in `scratch`) and links elsewhere. */
export async function chooseMounter(mode: MountMode | "auto", run: RunProgram, log: Logger, scratch: string): Promise<Mounter> {
  switch (mode) {
    case "bind":
      return bindMounter({ run });
    case "symlink":
      return symlinkMounter;
    case "none":
      return emptyMounter;
    case "auto": {
      const works = await canMount(run, scratch);
      log.info(works ? "Volumes are published by bind mounts" : "Volumes are published by symbolic links: bind mounts do not work here");
      return works ? bindMounter({ run }) : symlinkMounter;
    }
  }
}

async function canMount(run: RunProgram, scratch: string): Promise<boolean> {
  if (process.geteuid?.() !== 0) return false;
  const folder = await mkdtemp(join(scratch, "mount-"));
  const [from, to] = [join(folder, "from"), join(folder, "to")];
  await mkdir(from);
  await mkdir(to);
  try {
    await run("mount", ["--bind", from, to]);
    await run("umount", [to]);
    return true;
  } catch {
    return false;
  } finally {
    await rmdir(from).catch(() => {});
    await rmdir(to).catch(() => {});
    await rmdir(folder).catch(() => {});
  }
}
