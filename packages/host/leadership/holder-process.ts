import { readFileSync, readlinkSync } from "node:fs";
import { systemErrorCode } from "@csi-sidecars/base";
import type { HolderProcess } from "@csi-sidecars/kube";

/** What of Linux the description of a process is made of. */
export interface ProcessTable {
  readonly pid: number;
  /** The text of a file, `undefined` when it cannot be read. */
  read(path: string): string | undefined;
  readLink(path: string): string | undefined;
  /** Whether there is a process with this id, whoever owns it. */
  exists(pid: number): boolean;
}

/**
 * Describes this process on its lease, so that a restarted container knows that the lease under its name is its own predecessor's: it
 * takes it at once instead of waiting until it expires. What proves the end of a process:
 * - In the same process id namespace of the same boot: no process has its id and start time.
 * - In another one, but in the same container of the same pod: the kubelet starts a container when its predecessor has ended.
 */
export function holderProcess(table: ProcessTable = linux): HolderProcess {
  const here = {
    container: containerOf(table.read("/proc/self/mountinfo") ?? ""),
    boot: table.read("/proc/sys/kernel/random/boot_id")?.trim(),
    pidns: table.readLink("/proc/self/ns/pid")?.match(/\d+/)?.[0],
  };
  const all = { ...here, pid: String(table.pid), start: startOf(table, table.pid) };
  const description = Object.entries(all).flatMap(([name, value]) => (value ? [`${name}=${value}`] : []));
  return {
    description: description.join(" "),
    hasEnded(other) {
      const facts = factsIn(other);
      const pid = facts.get("pid");
      if (here.boot && here.pidns && facts.get("boot") === here.boot && facts.get("pidns") === here.pidns)
        return pid !== undefined && hasEnded(table, Number(pid), facts.get("start"));
      return here.container !== undefined && facts.get("container") === here.container;
    },
  };
}

function factsIn(description: string): ReadonlyMap<string, string> {
  return new Map(
    description.split(" ").map((fact) => {
      const at = fact.indexOf("=");
      return [fact.slice(0, at), fact.slice(at + 1)];
    }),
  );
}

/**
 * The termination log of a container is a file in the kubelet's folder for it: `.../pods/<uid>/containers/<name>/<file>`, which the
 * fourth field of its mount names. `undefined` when in doubt.
 */
function containerOf(mountinfo: string): string | undefined {
  const found = mountinfo.split("\n").flatMap((mount) => {
    const [pods, uid, containers, name] = (mount.split(" ")[3] ?? "").split("/").slice(-5);
    return pods === "pods" && containers === "containers" ? [`${uid}/${name}`] : [];
  });
  const [only, ...others] = new Set(found);
  return others.length === 0 ? only : undefined;
}

function hasEnded(table: ProcessTable, pid: number, start: string | undefined): boolean {
  if (!table.exists(pid)) return true;
  const now = startOf(table, pid);
  return start !== undefined && now !== undefined && now !== start;
}

/** The start time of a process in clock ticks since the boot; `ended` for one that nobody has waited for yet. */
function startOf(table: ProcessTable, pid: number): string | undefined {
  const stat = table.read(`/proc/${pid}/stat`);
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields?.[0] === "Z" || fields?.[0] === "X" ? "ended" : fields?.[19];
}

const linux: ProcessTable = {
  pid: process.pid,
  read: (path) => unlessUnreadable(() => readFileSync(path, "utf8")),
  readLink: (path) => unlessUnreadable(() => readlinkSync(path)),
  exists(pid) {
    try {
      process.kill(pid, 0);
      return true;
    } catch (error) {
      return systemErrorCode(error) !== "ESRCH";
    }
  },
};

function unlessUnreadable(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
