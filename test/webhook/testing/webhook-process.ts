import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestAuthority, testAuthority } from "../../../packages/kube/transport/testing/certificates.ts";
import { SidecarProcess } from "../../e2e/testing/sidecar-process.ts";
import { until } from "../../e2e/testing/until.ts";

/** The shipped webhook on loopback, with a certificate that it reads from a folder. */
export interface RunningWebhook extends AsyncDisposable {
  readonly process: SidecarProcess;
  readonly authority: TestAuthority;
  readonly port: number;
  /** The flags that name its certificate. */
  readonly files: readonly string[];
  /** What the API server is told of it. */
  clientConfig(path: string): { readonly url: string; readonly caBundle: string };
  /** Writes another certificate of the same authority. */
  renew(name: string): Promise<void>;
  /** Kills it, and starts it again on the same port. */
  kill(): Promise<void>;
  restart(): Promise<void>;
}

export async function startWebhook(flags: readonly string[]): Promise<RunningWebhook> {
  const folder = mkdtempSync(join(tmpdir(), "webhook-"));
  const authority = await testAuthority();
  const renew = async (name: string) => {
    const { cert, key } = await authority.issue(name);
    writeFileSync(join(folder, "tls.crt"), cert);
    writeFileSync(join(folder, "tls.key"), key);
  };
  await renew("first");
  const files = [`--tls-cert-file=${join(folder, "tls.crt")}`, `--tls-private-key-file=${join(folder, "tls.key")}`];
  const start = async (port: number) => {
    const args = [...files, `--port=${port}`, "--bind-address=127.0.0.1", ...flags];
    const process = new SidecarProcess("webhook", args, { program: "snapshot-webhook" });
    const listening = /"HTTPS server is listening".* port=(\d+)/;
    const found = await until("the webhook to listen", () => listening.exec(process.output)?.[1]);
    return { process, port: Number(found) };
  };
  let running = await start(0);
  const { port } = running;
  return {
    ...{ authority, port, files, renew },
    get process() {
      return running.process;
    },
    clientConfig: (path) => ({ url: `https://127.0.0.1:${port}${path}`, caBundle: Buffer.from(authority.pem).toString("base64") }),
    kill: async () => void (await running.process.end("SIGKILL")),
    restart: async () => {
      running = await start(port);
    },
    async [Symbol.asyncDispose]() {
      await running.process[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
