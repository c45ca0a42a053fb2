import { type Clock, messageWithCause, silentLogger } from "@csi-sidecars/base";
import { connectDriver, type DriverConnection } from "@csi-sidecars/csi";
import type { Driver, ProcessValues, SidecarProgram } from "@csi-sidecars/host";
import { type Client, connect, createClient, type Environment, type Files, loadConfig, userAgent } from "@csi-sidecars/kube";
import type { Unreachable } from "./gather.ts";

/** Where a check looks for its configuration. */
export interface CheckWorld {
  readonly env: Environment;
  readonly clock: Clock;
  readonly files?: Files;
}

/** A way to what is asked, or why there is none. */
export interface Opened<T> extends Disposable {
  readonly access: T | undefined;
  readonly unreachable: Unreachable | undefined;
}

export function openKube(program: SidecarProgram, flags: ProcessValues, { env, files, clock }: CheckWorld): Opened<Client> {
  const { kubeconfig, master } = flags;
  const kubeconfigVariable = program.form === "individual" ? program.components[0]?.kubeconfigVariable : undefined;
  try {
    const config = loadConfig({ kubeconfig, master, env, ...(files && { files }), ...(kubeconfigVariable && { kubeconfigVariable }) });
    const transport = connect(config, { userAgent: userAgent({ name: program.name, version: program.version }) });
    const access = createClient({ transport, clock, log: silentLogger, name: "check", qps: -1, burst: 0 });
    return { access, unreachable: undefined, [Symbol.dispose]: () => transport.close() };
  } catch (error) {
    return closed(messageWithCause(error));
  }
}

/** A driver that runs accepts at once: who waits for more than its answers waits for nothing. */
const connectLimitMs = 5_000;

export async function openDriver({ csiAddress: address }: ProcessValues, clock: Clock, timeoutMs: number): Promise<Opened<Driver>> {
  let connection: DriverConnection | undefined;
  try {
    const opened = await connectDriver({ address, timeoutMs: Math.min(timeoutMs, connectLimitMs), clock });
    connection = opened;
    const { name } = await opened.driver.identity.getPluginInfo({}, { timeoutMs });
    const access: Driver = { address, name, client: opened.driver, capabilities: opened.capabilities };
    return { access, unreachable: undefined, [Symbol.dispose]: () => opened.close() };
  } catch (error) {
    connection?.close();
    return closed(`no CSI driver answers at ${address}: ${messageWithCause(error)}`);
  }
}

function closed(because: string): Opened<never> {
  return { access: undefined, unreachable: { unreachable: because }, [Symbol.dispose]: () => {} };
}
