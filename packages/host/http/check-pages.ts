import type { Answer, RouteRequest } from "./routes.ts";

/** One of the things that must be right; tells what is wrong, or nothing. */
export interface Check {
  readonly name: string;
  problem(): string | undefined;
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
      const outcome = problem === undefined ? `[+]${check.name} ok` : `[-]${check.name} failed: ${problem}`;
      return detail ? `${outcome} (${detail})` : outcome;
    });
    return { status, body: `${[...lines, `${page} check ${failed ? "failed" : "passed"}`].join("\n")}\n` };
  };
}
