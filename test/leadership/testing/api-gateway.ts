import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Cluster } from "@csi-sidecars/testcluster";

/** A request on its way to the API server: `PUT /apis/...`. */
export interface PassingRequest {
  readonly method: string;
  readonly path: string;
}

/** What happens to a request: it passes, is answered here without reaching the server, or gets no answer. */
export type Verdict = "pass" | "hang" | { readonly status: number; readonly retryAfterSeconds: number };

/** An HTTP server in front of an API server, embedded or real, that mistreats some requests. */
export interface ApiGateway extends AsyncDisposable {
  /** Decides about the requests from now on; all of them pass at first. */
  decide(verdict: (request: PassingRequest) => Verdict): void;
  /** The requests that did not pass, as `PUT name`. */
  readonly stopped: readonly string[];
  /** The file to give to `--kubeconfig`: whoever comes this way is the cluster's administrator. */
  readonly kubeconfig: string;
}

export function startApiGateway(cluster: Cluster, folder: string): ApiGateway {
  let decide: (request: PassingRequest) => Verdict = () => "pass";
  const stopped: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname: path, search } = new URL(request.url);
      const verdict = decide({ method: request.method, path });
      if (verdict !== "pass") stopped.push(`${request.method} ${path.slice(path.lastIndexOf("/") + 1)}`);
      if (verdict === "hang") return new Promise<Response>(() => {});
      if (verdict !== "pass") return refusal(verdict);
      const { method, signal } = request;
      const headers = new Headers(request.headers);
      // Clients send no token over plain HTTP.
      headers.set("authorization", `Bearer ${cluster.adminToken}`);
      const body = method === "GET" ? undefined : await request.text();
      return fetch(`${cluster.url}${path}${search}`, { method, headers, signal, body, tls: { ca: cluster.caPem }, decompress: false });
    },
  });
  const kubeconfig = join(folder, `gateway-${server.port}.kubeconfig`);
  writeFileSync(kubeconfig, cluster.kubeconfig(cluster.adminToken).replaceAll(cluster.url, `http://127.0.0.1:${server.port}`), {
    mode: 0o600,
  });
  return {
    decide(verdict) {
      decide = verdict;
    },
    stopped,
    kubeconfig,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

function refusal({ status, retryAfterSeconds }: { readonly status: number; readonly retryAfterSeconds: number }): Response {
  const body = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "TooManyRequests", message: "try again later", code: status };
  return Response.json(body, { status, headers: { "retry-after": String(retryAfterSeconds) } });
}
