/** The parts of Node's `process` that a program needs to begin anew. */
export interface Replaceable {
  readonly argv: readonly string[];
  readonly argv0: string;
  readonly execPath: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Windows has none. */
  readonly execve?: (file: string, args: readonly string[], env: NodeJS.ProcessEnv) => void;
}

/** Read by the runtime when it starts, and by nothing later. */
const compilerVariable = "BUN_JSC_useJIT";
/** Where a compiled program finds its own modules. */
const embedded = "/$bunfs/";

/**
 * Starts the program again in the same process, without the runtime's just-in-time compiler. For programs that do so little that
 * compiling never pays: livenessprobe with node-driver-registrar keep 44 MB instead of 62 after 500 probes (10 instead of 22 not
 * backed by the binary) at the same CPU per probe, for 15 ms at the start; and no memory of the process is writable and executable.
 *
 * Does not return, unless it was done before, somebody else decided (by setting the variable), the program runs from its sources, or the
 * system cannot replace a process.
 */
export function restartWithoutCompiler({ argv, argv0, execPath, env, execve }: Replaceable): void {
  const [, main = "", ...args] = argv;
  if (!execve || env[compilerVariable] !== undefined || !main.startsWith(embedded)) return;
  try {
    execve(execPath, [argv0, ...args], { ...env, [compilerVariable]: "0" });
  } catch {
    // The same program, only larger.
  }
}
