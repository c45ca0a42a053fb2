import { type Dictionary, dictionary } from "@csi-sidecars/base";
import type { Commands, Component, ExitCode, ProcessEnv, SidecarProgram } from "@csi-sidecars/host";

interface CommandResult {
  readonly exitCode: ExitCode;
  readonly stdout: string;
  readonly stderr: string;
}

type Run = (argv: readonly string[], program: SidecarProgram, processEnv: ProcessEnv) => CommandResult | Promise<CommandResult>;

interface Command {
  /** For `--help`. */
  readonly about: string;
  /** Only a command that is called is loaded: a running process pays nothing for it. */
  load(): Promise<Run>;
}

/** Sub-commands of a program by their names. */
export type CommandTable = Readonly<Dictionary<Command>>;

/** The sub-commands of every program that talks to the API server. */
export const commonCommands: CommandTable = dictionary({
  check: {
    about: "Check that the cluster, the permissions and the driver meet what the given flags need.",
    load: async () => (await import("./check/check-command.ts")).checkCommand,
  },
  rbac: {
    about: "Print the minimal roles for the given flags.",
    load: async () => (await import("./rbac/rbac-command.ts")).rbacCommand,
  },
  top: {
    about: "Show what a running process works on, and what holds it up.",
    load: async () => (await import("./top/top-command.ts")).topCommand,
  },
});

/** Those about the volumes of a driver. `components` loads whoever may be responsible for what a volume or a snapshot waits for. */
export function volumeCommands(components: () => Promise<readonly Component[]>): CommandTable {
  return dictionary({
    why: {
      about: "Explain what a claim, volume, attachment, pod, snapshot or node waits for; without a name: all that is stuck.",
      load: async () => {
        const [{ whyCommand }, all] = await Promise.all([import("./why/why-command.ts"), components()]);
        return (argv, program, processEnv) => whyCommand(argv, program, processEnv, all);
      },
    },
    audit: {
      about: "Compare the driver's volumes and snapshots with those that the cluster knows.",
      load: async () => (await import("./audit/audit-command.ts")).auditCommand,
    },
  });
}

/** Those for the way from upstream's sidecars to ours. `allInOne`: what replaces them, whichever program was called. */
export function migrationCommands(allInOne: SidecarProgram): CommandTable {
  return dictionary({
    translate: {
      about: "Replace the sidecars in manifests by one csi-sidecars container.",
      load: async () => {
        const { translateCommand } = await import("./translate/translate-command.ts");
        return (argv) => translateCommand(argv, allInOne);
      },
    },
    leases: {
      about: "clean: remove the leases of sidecars that csi-sidecars has replaced.",
      load: async () => {
        const { leasesCommand } = await import("./leases/leases-command.ts");
        return (argv, program, processEnv) => leasesCommand(argv, program, processEnv, { allInOne });
      },
    },
  });
}

/** What `--help` says of them. */
export function describeCommands(table: CommandTable): Commands {
  return Object.fromEntries(Object.entries(table).map(([name, { about }]) => [name, about]));
}

/** Carries out the sub-command that the arguments begin with; `undefined` when they do not. */
export async function runCommand(table: CommandTable, program: SidecarProgram, processEnv: ProcessEnv): Promise<ExitCode | undefined> {
  const [name = "", ...argv] = processEnv.argv;
  const command = table[name];
  if (!command) return undefined;
  const run = await command.load();
  const { exitCode, stdout, stderr } = await run(argv, program, processEnv);
  processEnv.stderr.write(stderr);
  processEnv.stdout.write(stdout);
  return exitCode;
}
