import type { Logger } from "@csi-sidecars/base";
import { Registry } from "@csi-sidecars/base/prometheus";
import { CsiProxyServer, callMetrics, powershellMetrics } from "@csi-sidecars/csi-proxy/server";
import { buildVersion, type ExitCode, exitCode, metricsPage, serveHttp } from "@csi-sidecars/host/plain-program";
import type { CsiProxyFlags } from "./flags.ts";
import { openProxy } from "./open-proxy.ts";
import type { ProgramEnv } from "./program-env.ts";
import { selectEndpoints, workingDirsOf } from "./select-endpoints.ts";

/** How long calls and abandoned operations may take to finish once the process is to end. */
const drainMs = 30_000;

/** Serves until the process is told to end or an endpoint fails. Rejects where it cannot start. */
export async function serve(flags: CsiProxyFlags, env: ProgramEnv, log: Logger): Promise<ExitCode> {
  const { clock } = env;
  const signals = new EndSignals(env, log);
  // Operators search for these lines.
  log.info("Starting CSI-Proxy Server ...");
  log.info(`Version: ${buildVersion.version}`);
  if (flags.windowsService) log.info("Running without the Windows service manager: a service wrapper has to start and stop this process");
  log.info(`Working directories: [${workingDirsOf(flags).join(" ")}]`);
  log.info(`Require privacy: ${flags.requirePrivacy}`);

  const registry = flags.metricsBindAddress === "" ? undefined : new Registry();
  const proxy = openProxy(flags, env, log, registry && powershellMetrics(registry));
  const endpoints = selectEndpoints(flags, { proxy, observers: registry ? [callMetrics(registry)] : [], log, clock });
  const server = new CsiProxyServer({ endpoints, clock, log });
  const http = registry && serveMetrics(flags.metricsBindAddress, registry, server, log);
  try {
    await server.start();
    log.info("Serving", { endpoints: endpoints.length });
    await Promise.race([signals.first, server.failed]);
    const finished = server.stop().then(() => proxy.close());
    const end = await Promise.race([
      finished.then(() => "finished"),
      signals.second.then(() => "at once"),
      clock.sleep(drainMs).then(() => "late"),
    ]);
    if (end === "late") log.info("Warning: ending with calls or operations under way", { waited: "30s" });
    for (const failure of server.failures) log.error(undefined, failure);
    return server.failures.length > 0 || end === "at once" ? exitCode.failure : exitCode.clean;
  } finally {
    http?.close();
  }
}

/** `/metrics`, and `/healthz` that is well while every endpoint is served. */
function serveMetrics(address: string, registry: Registry, server: CsiProxyServer, log: Logger) {
  const healthz = () => (server.serving ? { status: 200, body: "ok" } : { status: 503, body: "not every endpoint is served\n" });
  const routes = [metricsPage("/metrics", () => [registry], log), { "/healthz": healthz }];
  return serveHttp([{ address, flag: "metrics-bind-address", routes }], log);
}

/** The first signal ends the process when its work is done, the second one at once. */
class EndSignals {
  readonly #first = Promise.withResolvers<void>();
  readonly #second = Promise.withResolvers<void>();
  readonly first = this.#first.promise;
  readonly second = this.#second.promise;

  constructor(env: ProgramEnv, log: Logger) {
    let received = 0;
    env.onSignal((signal) => {
      received++;
      log.info(received === 1 ? "Received a signal, shutting down" : "Received a second signal, exiting at once", { signal });
      (received === 1 ? this.#first : this.#second).resolve();
    });
  }
}
