import { generateKeyPairSync, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kubeconfigFor } from "../apiserver/access/kubeconfig.ts";
import { findAssets } from "./assets.ts";
import { type Etcd, startEtcd } from "./etcd.ts";
import { onFreePorts } from "./free-port.ts";
import { type ProcessWatch, type Program, startProgram, waitForUrl } from "./process.ts";

export interface ControlPlaneOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Names that get a bearer token of their own and no rights until a test binds a role to them. */
  readonly users: readonly string[];
  /** Users besides `admin` who are in system:masters. */
  readonly admins?: readonly string[];
  /** Run kube-controller-manager's storage controllers (binder, protection, expander, attach/detach, ephemeral volumes). */
  readonly storageControllers: boolean;
  /**
   * How often the binder resyncs all claims and volumes, and finds for example a class that was created after its claim: every 15 s unless
   * given. With thousands of claims each resync is expensive.
   */
  readonly binderSync?: string;
  /** Other controllers of kube-controller-manager to run beside them, by name. */
  readonly moreControllers?: readonly string[];
  /** A free port unless given. */
  readonly port?: number;
  /** Holds all files, and may hold the data of an earlier run; a temporary folder unless given. */
  readonly folder?: string;
  /** The admin's token of an earlier run. */
  readonly adminToken?: string;
  /** Whether requests are recorded in {@link ControlPlane.auditLog}; true unless given. */
  readonly audit?: boolean;
  /** With one, Ctrl-C does not reach the processes. */
  readonly watch?: ProcessWatch;
  /** Aborts the start. */
  readonly signal?: AbortSignal;
}

/** kube-apiserver, etcd and, if asked for, kube-controller-manager. */
export interface ControlPlane extends AsyncDisposable {
  readonly url: string;
  readonly caPem: string;
  readonly adminToken: string;
  /** The token of one of {@link ControlPlaneOptions.users}, of {@link ControlPlaneOptions.admins}, or of `admin`. */
  tokenOf(user: string): string;
  kubeconfig(token: string): string;
  /** The API server's audit log: one JSON line for each request it has answered. */
  readonly auditLog: string;
  /** The API server's store. */
  readonly etcd: Pick<Etcd, "compact" | "keys" | "delete">;
  stopServer(how?: "SIGTERM" | "SIGKILL"): Promise<void>;
  startServer(): Promise<void>;
}

const storageControllers = [
  "persistentvolume-binder-controller",
  "persistentvolume-protection-controller",
  "persistentvolumeclaim-protection-controller",
  "persistentvolume-expander-controller",
  "ephemeral-volume-controller",
  "persistentvolume-attach-detach-controller",
];

export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { env, users, admins = [], adminToken = randomUUID(), audit = true, watch, signal } = options;
  const assets = findAssets(env);
  await using started = new AsyncDisposableStack();
  const folder = options.folder ?? started.adopt(mkdtempSync(join(tmpdir(), "controlplane-")), removeFolder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = (name: string) => join(folder, name);
  const masters = ["admin", ...admins];
  const tokens = new Map([...masters, ...users].map((user) => [user, user === "admin" ? adminToken : randomUUID()]));
  writeTokens(file("tokens.csv"), tokens, masters);
  if (!existsSync(file("sa.key"))) writeServiceAccountKeys(file("sa.pub"), file("sa.key"));
  writeFileSync(
    file("audit-policy.yaml"),
    "apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{level: Metadata}]\n",
  );
  mkdirSync(file("certs"), { recursive: true });

  const etcd: Etcd = await startEtcd(assets, folder, { watch, signal });
  started.defer(() => etcd.stop());
  const ca = () => readFileSync(join(file("certs"), "apiserver.crt"), "utf8");
  let server: Program | undefined;
  started.defer(async () => server?.stop("SIGKILL"));
  const startServerOn = async (port: number) => {
    const url = `https://127.0.0.1:${port}`;
    server = startProgram(
      "kube-apiserver",
      join(assets, "kube-apiserver"),
      apiserverArguments({ etcd: etcd.url, port, file, audit }),
      file("kube-apiserver.log"),
      watch,
    );
    await Promise.race([waitForUrl(`${url}/readyz`, { ca, token: adminToken, signal }), server.failed]);
    return { port, url };
  };
  const { port, url } = await (options.port === undefined ? onFreePorts(1, startServerOn) : startServerOn(options.port));
  const caPem = ca();
  const kubeconfig = (token: string) => kubeconfigFor(url, caPem, { token });

  if (options.storageControllers) {
    writeFileSync(file("kubeconfig"), kubeconfig(adminToken), { mode: 0o600 });
    const manager = startProgram(
      "kube-controller-manager",
      join(assets, "kube-controller-manager"),
      [
        `--kubeconfig=${file("kubeconfig")}`,
        `--controllers=${[...storageControllers, ...(options.moreControllers ?? [])].join(",")}`,
        "--leader-elect=false",
        ...(options.binderSync ? [`--pvclaimbinder-sync-period=${options.binderSync}`] : []),
        "--kube-api-qps=5000",
        "--kube-api-burst=5000",
        "--secure-port=0",
        `--service-account-private-key-file=${file("sa.key")}`,
      ],
      file("kube-controller-manager.log"),
      watch,
    );
    started.defer(() => manager.stop("SIGKILL"));
  }

  const running = started.move();
  return {
    url,
    caPem,
    adminToken,
    tokenOf(user) {
      const token = tokens.get(user);
      if (!token) throw new Error(`no token was made for user "${user}"`);
      return token;
    },
    kubeconfig,
    auditLog: file("audit.log"),
    etcd,
    async startServer() {
      await startServerOn(port);
    },
    stopServer: async (how = "SIGTERM") => server?.stop(how),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

const removeFolder = (folder: string) => rmSync(folder, { recursive: true, force: true });

interface ServerPlan {
  readonly etcd: string;
  readonly port: number;
  readonly file: (name: string) => string;
  readonly audit: boolean;
}

function apiserverArguments({ etcd, port, file, audit }: ServerPlan): string[] {
  return [
    `--etcd-servers=${etcd}`,
    `--secure-port=${port}`,
    "--bind-address=127.0.0.1",
    `--cert-dir=${file("certs")}`,
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${file("sa.pub")}`,
    `--service-account-signing-key-file=${file("sa.key")}`,
    `--token-auth-file=${file("tokens.csv")}`,
    "--authorization-mode=RBAC",
    "--service-cluster-ip-range=10.0.0.0/24",
    "--disable-admission-plugins=ServiceAccount",
    "--allow-privileged",
    "--max-requests-inflight=4000",
    "--max-mutating-requests-inflight=2000",
    ...(audit ? [`--audit-policy-file=${file("audit-policy.yaml")}`, `--audit-log-path=${file("audit.log")}`] : []),
  ];
}

function writeTokens(file: string, tokens: ReadonlyMap<string, string>, masters: readonly string[]): void {
  const lines = [...tokens].map(([user, token]) =>
    masters.includes(user) ? `${token},${user},${user},"system:masters"` : `${token},${user},${user}`,
  );
  writeFileSync(file, `${lines.join("\n")}\n`, { mode: 0o600 });
}

function writeServiceAccountKeys(publicFile: string, privateFile: string): void {
  const pair = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
  });
  writeFileSync(publicFile, pair.publicKey);
  writeFileSync(privateFile, pair.privateKey, { mode: 0o600 });
}
