import { once } from "node:events";
import { createServer } from "node:net";
import { type Dictionary, dictionary, messageOf, silentLogger, systemClock, systemErrorCode } from "@csi-sidecars/base";
import {
  type Client,
  connect,
  createClient,
  type KubeObject,
  loadConfig,
  type Resource,
  type Selection,
  userAgent,
} from "@csi-sidecars/kube";
import { type NodeHooks, type StorageControllersOptions, startStorageControllers } from "@csi-sidecars/testcluster";
import { UserError } from "../user-error.ts";

/** The API server with the controllers and kubelets of a cluster. */
export interface PlaygroundCluster extends AsyncDisposable {
  /** What kind of API server runs. */
  readonly title: string;
  readonly url: string;
  /** May do everything, without a client-side limit. */
  readonly admin: Client;
  /** A kubeconfig of one of the {@link users}, who may do nothing until a role is bound. */
  kubeconfigOf(user: string): string;
  /** What is wrong with it at the moment. */
  problem(): string | undefined;
}

/** The user that the roles of a program are for: the service account of its pod. */
export const serviceAccount = (program: string) => `system:serviceaccount:default:${program}`;

/** The users of the shipped programs. */
export const users: readonly string[] = ["csi-sidecars", "snapshot-controller"].map(serviceAccount);

/** A client for a kubeconfig file, without a client-side rate limit. */
export function openClient(kubeconfig: string): { readonly client: Client } & Disposable {
  const config = loadConfig({ kubeconfig, env: {} });
  const transport = connect(config, { userAgent: userAgent({ name: "playground", version: "v0.0.0" }) });
  const client = createClient({ transport, clock: systemClock, log: silentLogger, name: "playground", qps: -1, burst: 0 });
  return { client, [Symbol.dispose]: () => transport.close() };
}

export interface ControllersPlan {
  /** All of them unless given. */
  readonly only?: StorageControllersOptions["only"];
  /** What the kubelets do with the driver's node service; nothing unless given. */
  readonly hooks?: (admin: Client) => Promise<NodeHooks>;
}

/** Runs the storage controllers, the scheduler and the kubelets of a cluster until it is disposed of. */
export async function startControllers(client: Client, { only, hooks }: ControllersPlan): Promise<AsyncDisposable> {
  const stop = new AbortController();
  const { signal } = stop;
  const controllers = await startStorageControllers({
    client,
    signal,
    ...(only && { only }),
    ...(hooks && { hooks: await hooks(client) }),
  });
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await controllers.done;
    },
  };
}

/** Refuses a port that the API server cannot use, before anything is started. */
export async function checkPort(port: number): Promise<void> {
  if (port === 0) return;
  const server = createServer();
  try {
    const listening = once(server, "listening");
    server.listen(port, "127.0.0.1");
    await listening;
  } catch (error) {
    const remedy = remedies[systemErrorCode(error) ?? ""] ?? `cannot be used (${messageOf(error)})`;
    throw new UserError(`--port: 127.0.0.1:${port} ${remedy}`);
  }
  await new Promise((closed) => server.close(closed));
}

const remedies: Readonly<Dictionary<string>> = dictionary({
  EADDRINUSE: "is in use; choose another port, or omit --port for a free one",
  EACCES: "needs privileges; choose a port from 1024 on",
});

/** Deletes every object of a kind that matches the selection; how many there were. */
export async function deleteAll<T extends KubeObject>(admin: Client, resource: Resource<T>, selection: Selection): Promise<number> {
  const { items } = await admin.list(resource, selection);
  await Promise.all(items.map(({ metadata }) => admin.delete(resource, { namespace: metadata?.namespace, name: metadata?.name ?? "" })));
  return items.length;
}
