import { Apt } from "./apt.ts";
import type { Lock } from "./lock.ts";
import { cacheFolder } from "./packages.ts";

/** A lock of the newest versions of packages that the machine's sources have. */
export function newestVersions(packages: readonly string[], architectures: readonly string[], env: NodeJS.ProcessEnv): Lock {
  const locked = architectures.map((architecture) => {
    const apt = new Apt(cacheFolder(env), architecture, env);
    apt.update();
    const versions = packages.toSorted().map((name) => {
      const newest = apt.newest(name);
      if (!newest) throw new Error(`APT knows no ${name} for ${architecture}: the images' base needs the sources of Debian 12`);
      return [name, newest] as const;
    });
    return [architecture, Object.fromEntries(versions)] as const;
  });
  return Object.fromEntries(locked);
}
