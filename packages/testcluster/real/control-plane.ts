import { generateKeyPairSync, randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findAssets } from "./assets.ts";
import { type Etcd, startEtcd } from "./etcd.ts";
import { freePort } from "./free-port.ts";
import { type Program, startProgram } from "./program.ts";
import { waitForUrl } from "./wait-for-url.ts";

export interface ControlPlaneOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Names that get a bearer token of their own and no rights until a test binds a role to them. */
  readonly users: readonly string[];
  /** Run kube-controller-manager's storage controllers (binder, protection, expander, attach/detach). */
  readonly storageControllers: boolean;
}

/** kube-apiserver, etcd and, if asked for, kube-controller-manager, in a folder that goes away with them. */
export interface ControlPlane extends AsyncDisposable {
  readonly url: string;
  readonly caPem: string;
  readonly adminToken: string;
  tokenOf(user: string): string;
  /** The API server's audit log: one JSON line for each request it has answered. */
  readonly auditLog: string;
  compact(): Promise<void>;
  stopServer(how?: "SIGTERM" | "SIGKILL"): Promise<void>;
  startServer(): Promise<void>;
}

/** Users who may do everything. `around` is for what a test world itself runs, so that its requests can be told from the test's. */
const masters = ["admin", "around"];

const storageControllers = [
  "persistentvolume-binder-controller",
  "persistentvolume-protection-controller",
  "persistentvolumeclaim-protection-controller",
  "persistentvolume-expander-controller",
  "persistentvolume-attach-detach-controller",
];

export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const assets = findAssets(options.env);
  await using started = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "controlplane-"));
  started.defer(() => rmSync(folder, { recursive: true, force: true }));
  const file = (name: string) => join(folder, name);
  const tokens = new Map([...masters, ...options.users].map((user) => [user, randomUUID()]));
  const adminToken = tokens.get("admin") ?? "";
  writeTokens(file("tokens.csv"), tokens);
  writeServiceAccountKeys(file("sa.pub"), file("sa.key"));
  writeFileSync(
    file("audit-policy.yaml"),
    "apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{level: Metadata}]\n",
  );
  mkdirSync(file("certs"));

  const etcd: Etcd = await startEtcd(assets, folder);
  started.defer(() => etcd.stop());
  const port = await freePort();
  const url = `https://127.0.0.1:${port}`;
  const ca = () => readFileSync(join(file("certs"), "apiserver.crt"), "utf8");
  let server: Program | undefined;
  started.defer(async () => server?.stop("SIGKILL"));
  const startServer = async () => {
    server = startProgram(
      "kube-apiserver",
      join(assets, "kube-apiserver"),
      apiserverArguments(etcd.url, port, file),
      file("kube-apiserver.log"),
    );
    await Promise.race([waitForUrl(`${url}/readyz`, { ca, token: adminToken }), server.failed]);
  };
  await startServer();

  if (options.storageControllers) {
    writeFileSync(file("kubeconfig"), kubeconfig(url, ca(), adminToken));
    const manager = startProgram(
      "kube-controller-manager",
      join(assets, "kube-controller-manager"),
      [
        `--kubeconfig=${file("kubeconfig")}`,
        `--controllers=${storageControllers.join(",")}`,
        "--leader-elect=false",
        "--kube-api-qps=5000",
        "--kube-api-burst=5000",
        "--secure-port=0",
        `--service-account-private-key-file=${file("sa.key")}`,
      ],
      file("kube-controller-manager.log"),
    );
    started.defer(() => manager.stop("SIGKILL"));
  }

  const running = started.move();
  return {
    url,
    caPem: ca(),
    adminToken,
    tokenOf(user) {
      const token = tokens.get(user);
      if (!token) throw new Error(`no token was made for user "${user}"`);
      return token;
    },
    auditLog: file("audit.log"),
    compact: () => etcd.compact(),
    startServer,
    stopServer: async (how = "SIGTERM") => server?.stop(how),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function apiserverArguments(etcd: string, port: number, file: (name: string) => string): string[] {
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
    `--audit-policy-file=${file("audit-policy.yaml")}`,
    `--audit-log-path=${file("audit.log")}`,
  ];
}

function writeTokens(file: string, tokens: ReadonlyMap<string, string>): void {
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

function kubeconfig(server: string, ca: string, token: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "default",
    contexts: [{ name: "default", context: { cluster: "default", user: "default" } }],
    clusters: [{ name: "default", cluster: { server, "certificate-authority-data": btoa(ca) } }],
    users: [{ name: "default", user: { token } }],
  });
}
