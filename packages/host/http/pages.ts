import type { Logger } from "@csi-sidecars/base";
import type { Registry } from "@csi-sidecars/base/prometheus";
import { exposition, expositionType } from "@csi-sidecars/csi";
import type { Answer, RouteRequest, Routes } from "./routes.ts";

/** One named health check. */
export interface Check {
  readonly name: string;
  /** What is wrong, if anything. */
  problem(): string | undefined;
  /** For `?verbose`: what is wrong and no reason to fail, if anything. */
  warning?(): string | undefined;
  /** For `?verbose`: what else there is to know. */
  detail?(): string;
}

/**
 * A page as kube-apiserver's `/livez` and `/readyz`: `ok`, or with `?verbose` or a failure a line for each check.
 */
export function checkPage(page: string, checks: readonly Check[]): (request: RouteRequest) => Answer {
  return ({ query }) => {
    const results = checks.map((check) => ({ check, problem: check.problem() }));
    const failed = results.some(({ problem }) => problem !== undefined);
    const status = failed ? 500 : 200;
    if (!failed && !query.has("verbose")) return { status, body: "ok" };
    const lines = results.map(({ check, problem }) => {
      const detail = check.detail?.();
      const outcome = outcomeOf(check, problem);
      return detail ? `${outcome} (${detail})` : outcome;
    });
    return { status, body: `${[...lines, `${page} check ${failed ? "failed" : "passed"}`].join("\n")}\n` };
  };
}

function outcomeOf({ name, warning }: Check, problem: string | undefined): string {
  if (problem !== undefined) return `[-]${name} failed: ${problem}`;
  const warned = warning?.();
  return warned === undefined ? `[+]${name} ok` : `[!]${name} warning: ${warned}`;
}

/** Serves registries, whose families must differ, in Prometheus' text format; a collector that fails costs its own lines only. */
export function metricsPage(path: string, registries: () => Iterable<Registry>, log: Logger): Routes {
  const onError = (error: unknown) => log.error(error, "Failed to collect a metric");
  return {
    [path]: async () => {
      const texts = await Promise.all([...registries()].map((registry) => exposition(registry, onError)));
      return { status: 200, body: texts.join(""), contentType: expositionType };
    },
  };
}
