import { type Dictionary, dictionary } from "@csi-sidecars/base";
import type { Commands, ExitCode, ProcessEnv, SidecarProgram, StartReport } from "@csi-sidecars/host";
import { components } from "./components.ts";

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

const all: Readonly<Dictionary<Command>> = dictionary({
  check: {
    about: "Check that the cluster, the permissions and the driver meet what the given flags need.",
    load: async () => (await import("@csi-sidecars/diagnose/check")).checkCommand,
  },
  rbac: {
    about: "Print the minimal roles for the given flags.",
    load: async () => (await import("@csi-sidecars/diagnose/rbac")).rbacCommand,
  },
  why: {
    about: "Explain what a claim, volume, attachment or pod waits for, and what to do.",
    load: async () => {
      const { whyCommand } = await import("@csi-sidecars/diagnose/why");
      return (argv, program, processEnv) => whyCommand(argv, program, processEnv, components);
    },
  },
  audit: {
    about: "Compare the driver's volumes with the PersistentVolumes of the cluster.",
    load: async () => (await import("@csi-sidecars/diagnose/audit")).auditCommand,
  },
});

export const commands: Commands = Object.fromEntries(Object.entries(all).map(([name, { about }]) => [name, about]));

/** Loaded when it runs, as the commands are. */
export const startReport: StartReport = async (input, log) => {
  const report = await import("@csi-sidecars/diagnose/start-report");
  await report.startReport(input, log);
};

/** Carries out the sub-command that the arguments begin with; `undefined` when they do not. */
export async function runCommand(program: SidecarProgram, processEnv: ProcessEnv): Promise<ExitCode | undefined> {
  const [name = "", ...argv] = processEnv.argv;
  const command = all[name];
  if (!command) return undefined;
  const run = await command.load();
  const { exitCode, stdout, stderr } = await run(argv, program, processEnv);
  processEnv.stderr.write(stderr);
  processEnv.stdout.write(stdout);
  return exitCode;
}
