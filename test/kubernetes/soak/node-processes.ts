import { readdirSync, readFileSync } from "node:fs";

/** The programs that are watched and killed, by what their containers start. */
export const programs = ["csi-sidecars", "snapshot-controller", "hostpathplugin"] as const;
export type ProgramName = (typeof programs)[number];

/** What the processes are told apart by: a csi-sidecars also by its controllers. */
export const labels = ["csi-sidecars", "csi-sidecars (node)", "snapshot-controller", "hostpathplugin"] as const;
export type Label = (typeof labels)[number];

export interface NodeProcess {
  readonly pid: number;
  readonly program: ProgramName;
  readonly label: Label;
}

/** The processes of these programs in this process namespace: those of the node's pods. */
export function nodeProcesses(): NodeProcess[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const argv = commandLine(Number(name));
      const program = programs.find((each) => argv[0] === `/${each}`);
      if (!program) return [];
      const onNode = argv.some((flag) => flag.startsWith("--kubelet-registration-path="));
      return { pid: Number(name), program, label: program === "csi-sidecars" && onNode ? "csi-sidecars (node)" : program };
    });
}

/** Empty for a process that has ended meanwhile. */
function commandLine(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}
