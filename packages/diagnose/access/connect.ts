import { join } from "node:path";
import { type Clock, messageWithCause, silentLogger } from "@csi-sidecars/base";
import { alwaysAvailable, Code, connectDriver, type DriverConnection, GrpcError, VolumeLists } from "@csi-sidecars/csi";
import type { Driver, ProcessValues, SidecarProgram } from "@csi-sidecars/host";
import { formatDuration } from "@csi-sidecars/host/sub-commands";
import {
  type Client,
  connect,
  createClient,
  type Environment,
  type Files,
  impersonating,
  loadConfig,
  systemFiles,
  userAgent,
} from "@csi-sidecars/kube";
import type { Impersonation } from "./impersonation.ts";

/** Where a command looks for its configuration. */
export interface CommandEnvironment {
  readonly env: Environment;
  readonly clock: Clock;
  readonly files?: Files;
  /** Where progress is told; absent: nowhere. */
  readonly stderr?: { write(text: string): unknown };
  /** Where a command writes that goes on; absent: nowhere. */
  readonly stdout?: { write(text: string): unknown; isGone?(): boolean };
  /** What asks a command to end that goes on, such as ctrl-C. */
  readonly signals?: (listener: () => void) => () => void;
}

/** Why the API server or the driver cannot be reached. */
export interface Unreachable {
  readonly unreachable: string;
}

/** A connection, or why there is none. */
interface Opened<T> extends Disposable {
  readonly access: T | undefined;
  readonly unreachable: Unreachable | undefined;
}

export function openKube(
  program: SidecarProgram,
  flags: ProcessValues,
  { env, files, clock }: CommandEnvironment,
  { as, asGroup }: Impersonation = { as: "", asGroup: [] },
): Opened<Client> {
  if (as === "" && asGroup.length > 0) return closed("--as-group needs a user to act as: set --as");
  const { kubeconfig, master } = flags;
  const kubeconfigVariable = program.form === "individual" ? program.components[0]?.kubeconfigVariable : undefined;
  try {
    const config = loadConfig({ kubeconfig, master, env, ...(files && { files }), ...(kubeconfigVariable && { kubeconfigVariable }) });
    const transport = connect(as === "" ? config : impersonating(config, as, asGroup), {
      userAgent: userAgent({ name: program.name, version: program.version }),
    });
    const access = createClient({ transport, clock, log: silentLogger, name: "check", qps: -1, burst: 0 });
    return { access, unreachable: undefined, [Symbol.dispose]: () => transport.close() };
  } catch (error) {
    return closed(messageWithCause(error));
  }
}

/** A running driver accepts connections at once, however long its calls may take. */
const connectLimitMs = 5_000;

export async function openDriver({ csiAddress: address }: ProcessValues, clock: Clock, timeoutMs: number): Promise<Opened<Driver>> {
  let connection: DriverConnection | undefined;
  try {
    const opened = await connectDriver({ address, timeoutMs: Math.min(timeoutMs, connectLimitMs), clock });
    connection = opened;
    const { name } = await opened.driver.identity.getPluginInfo({}, { timeoutMs });
    const access: Driver = {
      address,
      name,
      client: opened.driver,
      capabilities: opened.capabilities,
      availability: alwaysAvailable,
      volumeLists: new VolumeLists(alwaysAvailable),
    };
    return { access, unreachable: undefined, [Symbol.dispose]: () => opened.close() };
  } catch (error) {
    connection?.close();
    return closed(`no CSI driver answers at ${address}: ${whyNoAnswer(error, timeoutMs)}`);
  }
}

/** That time ran out is said of every attempt: what the last one failed with tells more, unless it was still under way. */
function whyNoAnswer(error: unknown, timeoutMs: number): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const ranOut = error instanceof GrpcError ? error.code === Code.DeadlineExceeded : cause instanceof Error;
  if (!ranOut) return messageWithCause(error);
  return cause instanceof Error && !(cause instanceof GrpcError)
    ? cause.message.replace(/^dial unix \S+: (connect: )?/, "")
    : `no answer within ${formatDuration(timeoutMs)}`;
}

function closed(because: string): Opened<never> {
  return { access: undefined, unreachable: { unreachable: because }, [Symbol.dispose]: () => {} };
}

/**
 * The kubeconfig of a person who runs a command by hand: as with `kubectl`, the one in the home folder where neither a flag nor
 * KUBECONFIG names one and this is no pod. Empty: the configuration is found as the running process finds it.
 */
export function callersKubeconfig(flag: string, env: Environment, files: Files = systemFiles): string {
  if (flag !== "" || env.KUBECONFIG || env.KUBERNETES_SERVICE_HOST || !env.HOME) return flag;
  const path = join(env.HOME, ".kube", "config");
  try {
    files.read(path);
    return path;
  } catch {
    return flag;
  }
}
