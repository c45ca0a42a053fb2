import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { ApiServer } from "@csi-sidecars/testcluster";
import { parseAllDocuments } from "yaml";
import type { Caretaker } from "./caretaker.ts";
import { eventually } from "./eventually.ts";
import { Supervised } from "./supervised.ts";
import type { Workplace } from "./workplace.ts";

/** The shipped program in its own process, as in a pod beside the driver. */
export interface Sidecar extends AsyncDisposable {
  readonly process: Supervised;
  /** Its name in the API server's log. */
  readonly user: string;
  readonly args: readonly string[];
  /** The status of a path of its HTTP server; `undefined` while nobody answers. */
  status(path: string): Promise<number | undefined>;
}

export interface SidecarPlan {
  readonly program: string;
  readonly server: ApiServer;
  readonly socket: string;
  readonly workplace: Workplace;
  readonly caretaker: Caretaker;
  readonly signal: AbortSignal;
}

/** As patient as the probes of the example deployment: a driver's absence is told after 3 s. */
const probeMs = 5_000;
const user = "system:serviceaccount:default:csi-sidecars";

/** Starts it with the roles that it asks for itself, and no others. Resolves when it is ready. */
export async function startSidecar({ program, server, socket, workplace, caretaker, signal }: SidecarPlan): Promise<Sidecar> {
  const flags = ["--controllers=attacher,provisioner,livenessprobe", "--leader-election"];
  const roles = execFileSync(program, ["rbac", ...flags], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  server.seed(parseAllDocuments(roles).map((document) => document.toJS()));
  const kubeconfig = join(workplace.folder, "sidecar.kubeconfig");
  writeFileSync(kubeconfig, server.kubeconfig({ token: server.addUser(user) }), { mode: 0o600 });

  const address = `127.0.0.1:${await freePort()}`;
  const args = [...flags, `--csi-address=${socket}`, `--kubeconfig=${kubeconfig}`, `--http-endpoint=${address}`, "--v=2"];
  const env = { POD_NAME: "csi-sidecars-0", POD_NAMESPACE: "default" };
  const process = new Supervised({ program, args, env, logFile: join(workplace.folder, "csi-sidecars.log"), caretaker });
  const status = async (path: string) => {
    const response = await fetch(`http://${address}${path}`, { signal: AbortSignal.timeout(probeMs) }).catch(() => undefined);
    await response?.body?.cancel();
    return response?.status;
  };
  process.start();
  try {
    await eventually(
      "csi-sidecars to be ready",
      async () => {
        if (process.restarts > 0) throw new Error(`csi-sidecars does not start:\n${process.lastWords()}`);
        return (await status("/readyz")) === 200 || undefined;
      },
      { signal },
    );
  } catch (error) {
    await process.stop();
    throw error;
  }
  return { process, user, args, status, [Symbol.asyncDispose]: () => process.stop() };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
