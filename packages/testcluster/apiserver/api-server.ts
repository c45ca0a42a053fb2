import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { type Clock, stringifyExactJson, systemClock } from "@csi-sidecars/base";
import { builtInKinds } from "../kinds/built-in.ts";
import { authenticated } from "./access/authentication.ts";
import { type CertificatePair, certificateAuthority } from "./access/certificate-authority.ts";
import { type Credential, kubeconfigFor } from "./access/kubeconfig.ts";
import { RbacAuthorizer } from "./access/rbac-authorizer.ts";
import { Tokens } from "./access/tokens.ts";
import { serveCustomResources } from "./custom-resources.ts";
import { Faults } from "./faults.ts";
import { collectGarbage } from "./garbage-collector.ts";
import { handleRequest } from "./handle-request.ts";
import { listenTls, type TlsListener } from "./http/tls-listener.ts";
import { KindRegistry } from "./kind-registry.ts";
import { finishDeletedNamespaces } from "./objects/delete-object.ts";
import { kindsOfOlder, type OlderApi } from "./older-api.ts";
import { type RequestLog, requestLog } from "./request-log.ts";
import { bootstrapObjects, seedObjects } from "./seed-objects.ts";
import type { ServerState } from "./server-state.ts";
import { parseSnapshot, restoreSnapshot, type Snapshot, takeSnapshot } from "./snapshot.ts";
import { Store } from "./store/store.ts";
import { Watches } from "./watches.ts";

export interface ApiServerOptions {
  /** A free port unless given. */
  readonly port?: number;
  /** State is read from this file at the start, if it is there, and written to it when the server stops. */
  readonly dataFile?: string;
  /** Drives timestamps, watch timeouts, bookmarks and delays. */
  readonly clock?: Clock;
  readonly random?: () => number;
  /** Runs a garbage collector, which kube-controller-manager does in a whole cluster. */
  readonly garbageCollector?: boolean;
  /** How many changes of each kind stay watchable. */
  readonly watchWindow?: number;
  /** How many requests {@link ApiServer.requests} keeps. */
  readonly keepRequests?: number;
  /** The authority of an earlier run, so that its kubeconfigs stay valid. */
  readonly authority?: CertificatePair;
  readonly adminToken?: string;
  /** For clusters with kubelets: pods on nodes are deleted gracefully, as on a real server. */
  readonly gracefulPods?: boolean;
  /** How long the content of a deleted namespace stays, as on a real server, so that `kubectl delete -k` finds it; none unless given. */
  readonly namespaceDelayMs?: number;
  /** What it does not have, as an older server. */
  readonly older?: OlderApi;
}

/**
 * A Kubernetes API server inside this process, over real TLS sockets on loopback.
 *
 * ```ts
 * await using server = await startApiServer();
 * server.seed([{ apiVersion: "v1", kind: "Node", metadata: { name: "node-1" } }]);
 * const kubeconfig = server.kubeconfig({ token: server.adminToken });
 * ```
 */
export interface ApiServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly caPem: string;
  /** With its private key: for a later run with the same authority. */
  readonly authority: CertificatePair;
  /** A member of system:masters. */
  readonly adminToken: string;
  /** A bearer token for the user, who may do nothing until a role is bound. */
  addUser(name: string, groups?: readonly string[]): string;
  issueClientCertificate(commonName: string, organizations?: readonly string[]): Promise<CertificatePair>;
  kubeconfig(credential: Credential): string;
  readonly faults: Faults;
  readonly requests: RequestLog;
  /** How many watches are open. */
  readonly openWatches: number;
  /** Drops the history: watches and exact lists of older versions get 410. */
  compact(): void;
  /** Closes the port; the data stays. "abrupt" breaks all connections at once, as a killed server. */
  stop(how?: "graceful" | "abrupt"): Promise<void>;
  /** Opens the same port again. As after a restart, older versions cannot be watched. */
  start(): Promise<void>;
  /** Objects with `apiVersion` and `kind`, stored as they are, without admission. */
  seed(objects: Iterable<object>): void;
  snapshot(): Snapshot;
}

const defaultKeptRequests = 200_000;

export async function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const authority = await certificateAuthority(options.authority);
  const serving = await authority.issueServer();
  const store = openStore(options);
  const { clock = systemClock, random = Math.random, gracefulPods = false, namespaceDelayMs = 0, older = {} } = options;
  const state: ServerState = {
    store,
    kinds: new KindRegistry(kindsOfOlder(builtInKinds, older)),
    clock,
    random,
    gracefulPods,
    namespaceDelayMs,
    watchList: older.watchList ?? true,
  };
  const watches = new Watches();
  serveCustomResources(state, watches);
  if (options.garbageCollector) collectGarbage(state);
  if (store.table("namespaces").size === 0) seedObjects(state, bootstrapObjects);

  finishDeletedNamespaces(state);

  const tokens = new Tokens();
  const addUser = (name: string, groups: readonly string[] = [], token: string = crypto.randomUUID()) => {
    tokens.add(token, authenticated(name, groups));
    return token;
  };
  const adminToken = addUser("admin", ["system:masters"], options.adminToken);
  const faults = new Faults();
  const log = requestLog(options.keepRequests ?? defaultKeptRequests);
  const path = { state, tokens, policy: new RbacAuthorizer(store), faults, log, watches, address: () => `127.0.0.1:${port}` };
  const listen = (at: number) =>
    listenTls({ port: at, ...serving, caPem: authority.certPem, handle: (exchange) => handleRequest(path, exchange) });

  let listener: TlsListener | undefined = await listen(options.port ?? 0);
  const port = listener.port;
  const url = `https://127.0.0.1:${port}`;

  async function stop(how: "graceful" | "abrupt" = "graceful"): Promise<void> {
    const closing = listener;
    listener = undefined;
    const closed = closing?.close(how);
    watches.stop({}, how === "abrupt" ? "cut" : "end");
    await closed;
    if (options.dataFile) saveSnapshot(options.dataFile, takeSnapshot(store));
  }

  return {
    url,
    port,
    caPem: authority.certPem,
    authority: { certPem: authority.certPem, keyPem: authority.keyPem },
    adminToken,
    addUser: (name, groups) => addUser(name, groups),
    issueClientCertificate: (commonName, organizations = []) => authority.issueClient(commonName, organizations),
    kubeconfig: (credential) => kubeconfigFor(url, authority.certPem, credential),
    faults,
    requests: log,
    get openWatches() {
      return watches.count;
    },
    compact: () => store.compact(),
    stop,
    async start() {
      if (listener) return;
      store.restarted();
      listener = await listen(port);
    },
    seed: (objects) => void seedObjects(state, objects),
    snapshot: () => takeSnapshot(store),
    [Symbol.asyncDispose]: () => stop("abrupt"),
  };
}

function openStore({ dataFile, watchWindow }: ApiServerOptions): Store {
  if (dataFile === undefined || !existsSync(dataFile)) return new Store({ window: watchWindow });
  return restoreSnapshot(parseSnapshot(readFileSync(dataFile, "utf8"), dataFile), watchWindow);
}

/** Written beside the file first: a crash leaves the old state. */
function saveSnapshot(file: string, snapshot: Snapshot): void {
  const fresh = `${file}.new`;
  writeFileSync(fresh, stringifyExactJson(snapshot));
  renameSync(fresh, file);
}
