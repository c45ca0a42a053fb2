import type { Answer, ComponentContext, Running } from "@csi-sidecars/host";
import { budgetOf } from "./budget.ts";
import { checkMetrics } from "./check-metrics.ts";
import type { livenessprobeFlags } from "./flags.ts";
import { probeDriver } from "./probe-driver.ts";
import { SharedProbe } from "./shared-probe.ts";

/** Answers health checks until it is stopped; the driver is asked only when somebody asks. */
export async function startLivenessprobe(context: ComponentContext<typeof livenessprobeFlags>): Promise<Running> {
  const { clock, log, driver, signal, flags } = context;
  const { address, operations } = driver;
  const budgetMs = budgetOf(flags.probeTimeout);
  const probe = new SharedProbe({
    ...{ budgetMs, clock },
    probe: (abandoned) => probeDriver({ address, budgetMs, operations, clock, log, signal: AbortSignal.any([signal, abandoned]) }),
  });
  const count = checkMetrics(context.metrics);
  context.health(async (request): Promise<Answer> => {
    const result = await probe.check(request.signal);
    count(result);
    return result.healthy ? { status: 200, body: "ok" } : { status: 500, body: result.problem };
  });
  return { done: stopped(signal).then(() => probe.idle()) };
}

function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
