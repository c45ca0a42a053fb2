import { Counter, Gauge, type Registry } from "@csi-sidecars/base/prometheus";
import { type Answer, aborted, type ComponentContext, type Running } from "@csi-sidecars/host";
import type { livenessprobeFlags } from "./flags.ts";
import { type ProbeResult, probeBudget, probeDriver } from "./probe-driver.ts";
import { SharedProbe } from "./shared-probe.ts";

/** Answers health checks until it is stopped; the driver is probed only on request. */
export async function startLivenessprobe(context: ComponentContext<typeof livenessprobeFlags>): Promise<Running> {
  const { clock, log, driver, signal, flags } = context;
  const { address, operations } = driver;
  const budgetMs = probeBudget(flags.probeTimeout);
  const probe = new SharedProbe({
    ...{ budgetMs, clock },
    probe: (abandoned) => probeDriver({ address, budgetMs, operations, clock, log, signal: AbortSignal.any([signal, abandoned]) }),
  });
  const count = healthCheckMetrics(context.metrics);
  context.health(async (request): Promise<Answer> => {
    const result = await probe.check(request.signal);
    count(result);
    return result.healthy ? { status: 200, body: "ok" } : { status: 500, body: result.problem };
  });
  return { done: aborted(signal).then(() => probe.idle()) };
}

/** Counts the results of health checks, in addition to upstream's histogram of calls. */
export function healthCheckMetrics(registry: Registry): (result: ProbeResult) => void {
  // There is none before the first answer: 0 would be an alarm about a driver that nobody has asked yet.
  let healthy: Gauge | undefined;
  const checks = new Counter({
    name: "csi_sidecars_driver_health_checks_total",
    help: "Answered health checks of the CSI driver by result.",
    labelNames: ["result"],
    registers: [registry],
  });
  return (result) => {
    healthy ??= new Gauge({
      name: "csi_sidecars_driver_healthy",
      help: "Whether the CSI driver was found healthy when it was last probed.",
      registers: [registry],
    });
    healthy.set(result.healthy ? 1 : 0);
    checks.inc({ result: result.healthy ? "healthy" : "unhealthy" });
  };
}
