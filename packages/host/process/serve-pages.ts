import type { Registry } from "@csi-sidecars/base/prometheus";
import type { DriverSession } from "../driver/driver-session.ts";
import { serveSites } from "../http/http-server.ts";
import { metricsPage } from "../http/metrics-page.ts";
import type { ComponentScopes } from "../supervisor/component-scope.ts";
import { startWatchdog } from "../supervisor/watchdog.ts";
import type { ComponentUnit } from "./component-unit.ts";
import type { Election } from "./election.ts";
import type { ShellOptions } from "./shell.ts";
import { sitesOf } from "./sites.ts";

/** What the pages tell about. */
export interface ServedParts {
  /** The process's own. */
  readonly registry: Registry;
  /** Also those of its components. */
  readonly registries: ReadonlySet<Registry>;
  readonly scopes: ComponentScopes;
  readonly session: DriverSession | undefined;
  readonly election: Election | undefined;
  readonly units: readonly ComponentUnit[];
  /** Why the process is about to end, once it is. */
  failure(): string | undefined;
  readonly closed: AbortSignal;
}

/** Serves health, readiness, metrics and what components serve. Gives what closes it; throws where a listener cannot be had. */
export function servePages({ program, settings, world: { clock }, log }: ShellOptions, parts: ServedParts): () => void {
  const { registry, registries, scopes, session, units } = parts;
  const election = () => parts.election?.check();
  const watchdog = startWatchdog({
    ...{ clock, log, registry, signal: parts.closed },
    lastEntered: () => scopes.lastEntered,
  });
  const driver = () => (session && !session.reached ? `the CSI driver at ${session.address} was not reached yet` : undefined);
  const { close } = serveSites(
    sitesOf({
      ...{ form: program.form, settings, clock, election },
      components: units,
      metrics: metricsPage(settings.process.metricsPath, () => registries, log),
      live: [
        { name: "event-loop", problem: () => watchdog.problem() },
        { name: "leader-election", problem: () => election()?.message },
        { name: "controllers", problem: () => parts.failure() },
      ],
      ready: [{ name: "driver", problem: driver }, ...units.map(({ check }) => check)],
    }),
    log,
  );
  return close;
}
