import type { Clock } from "@csi-sidecars/base";
import type { Component } from "../component.ts";
import type { Settings } from "../flags/resolve.ts";
import { canonical } from "../flags/spellings.ts";
import { type Check, checkPage } from "../http/check-pages.ts";
import type { Site } from "../http/http-server.ts";
import { Mux } from "../http/mux.ts";
import { profilePages } from "../http/profile-pages.ts";
import type { Answer, Routes } from "../http/routes.ts";
import type { HealthBoard } from "./health-board.ts";

export interface SitesOptions {
  readonly form: "all-in-one" | "individual";
  readonly settings: Settings;
  readonly components: readonly { readonly component: Component; readonly health: HealthBoard }[];
  readonly metrics: Routes;
  readonly live: readonly Check[];
  readonly ready: readonly Check[];
  readonly election: () => Error | undefined;
  readonly clock: Clock;
}

/** What is served where, by the flags of the process and of its components. */
export function sitesOf({ form, settings, components, metrics, live, ready, election, clock }: SitesOptions): readonly Site[] {
  const { httpEndpoint, metricsAddress, enablePprof } = settings.process;
  const sites: Site[] = [];
  const metricsOnly = mux(metrics);
  const profiles = enablePprof ? [mux(profilePages(clock))] : [];
  if (httpEndpoint !== "") {
    const shared = mux({
      "/healthz": plainHealth(components),
      "/healthz/leader-election": () => electionAnswer(election()),
      "/livez": checkPage("livez", live),
      "/readyz": checkPage("readyz", ready),
      ...Object.fromEntries(
        components.map(
          ({ component, health }) =>
            [`/healthz/${component.name}`, (request) => health.answer(request, component.healthPrecedence !== undefined)] as const,
        ),
      ),
    } satisfies Routes);
    sites.push({
      address: httpEndpoint,
      flag: "http-endpoint",
      paths: [metricsOnly, shared, ...profiles, ...components.map(({ health }) => health.paths)],
    });
  }
  if (metricsAddress !== "") sites.push({ address: metricsAddress, flag: "metrics-address", paths: [metricsOnly] });
  for (const { component, health } of components) {
    const flags = settings.of(component);
    const spelled = (flag: string) => canonical(form, component.name, flag);
    const own = component.ownEndpoint?.(flags, { httpEndpoint, explicit: (flag) => settings.setBy(spelled(flag)) !== undefined });
    if (own) {
      const more = own.metrics === false ? [] : [metricsOnly, ...(httpEndpoint === "" ? profiles : [])];
      const paths = [mux(health.routes()), health.paths, ...more];
      sites.push({ address: own.address, flag: spelled(own.flag), paths });
    }
    const ownMetrics = component.ownMetricsEndpoint?.(flags);
    if (ownMetrics) sites.push({ address: ownMetrics.address, flag: spelled(ownMetrics.flag), paths: [metricsOnly] });
  }
  return sites;
}

function mux(routes: Routes): Mux {
  const paths = new Mux();
  paths.add(routes);
  return paths;
}

/** The check of the component that takes precedence; without one the process answers, and that is enough. */
function plainHealth(components: SitesOptions["components"]): Routes[string] {
  const [first] = components
    .filter(({ component }) => component.healthPrecedence !== undefined)
    .sort((a, b) => (b.component.healthPrecedence ?? 0) - (a.component.healthPrecedence ?? 0));
  return first ? (request) => first.health.answer(request, true) : () => ({ status: 200, body: "ok" });
}

function electionAnswer(problem: Error | undefined): Answer {
  return problem ? { status: 500, body: `internal server error: ${problem.message}\n` } : { status: 200, body: "ok" };
}
