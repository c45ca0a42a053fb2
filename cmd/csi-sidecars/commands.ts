import type { ExitCode, OutsideWorld, SidecarProgram } from "@csi-sidecars/host";

interface CommandResult {
  readonly exitCode: ExitCode;
  readonly stdout: string;
  readonly stderr: string;
}

type Command = (argv: readonly string[], program: SidecarProgram, world: OutsideWorld) => CommandResult | Promise<CommandResult>;

/** Loaded only when called: they cost a running process nothing. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  audit: async () => (await import("@csi-sidecars/host/audit")).auditCommand,
  check: async () => (await import("@csi-sidecars/host/check")).checkCommand,
  rbac: async () => (await import("@csi-sidecars/host/rbac")).rbacCommand,
  why: async () => (await import("@csi-sidecars/host/why")).whyCommand,
};

/** Carries out the sub-command that the arguments begin with; `undefined` when they do not. */
export async function runCommand(program: SidecarProgram, world: OutsideWorld): Promise<ExitCode | undefined> {
  const [name = "", ...argv] = world.argv;
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!load) return undefined;
  const command = await load();
  const { exitCode, stdout, stderr } = await command(argv, program, world);
  world.stderr.write(stderr);
  world.stdout.write(stdout);
  return exitCode;
}
