import { type Clock, type Logger, messageOf } from "@csi-sidecars/base";
import type { Registry } from "@csi-sidecars/base/prometheus";
import type { CallRecorder } from "../activity/call-recorder.ts";
import type { DriverSession } from "../driver/driver-session.ts";
import type { Settings } from "../flags/resolve.ts";
import { canonical } from "../flags/spellings.ts";
import type { Elections } from "../leadership/elections.ts";
import type { ManagedComponent } from "../manager/managed-component.ts";
import type { Shutdown } from "../manager/shutdown.ts";
import type { PlannedProcess, ProcessPlan } from "../program/plan-process.ts";
import type { ProcessEnv } from "../program/process-env.ts";
import type { StallTimer } from "../program/stall-timer.ts";
import type { ComponentScopes } from "../supervisor/component-run.ts";
import { startWatchdog } from "../supervisor/event-loop-watchdog.ts";
import { type HttpEndpoint, serveHttp } from "./http-server.ts";
import { type Check, checkPage, metricsPage } from "./pages.ts";
import { profilePages } from "./profiles.ts";
import type { Answer, Route, Routes } from "./routes.ts";
import { type Activity, uiPages } from "./ui/ui-pages.ts";

/** What the endpoints report on. */
export interface ReportedParts {
  /** The process's own. */
  readonly registry: Registry;
  /** Also those of its components. */
  readonly registries: ReadonlySet<Registry>;
  readonly scopes: ComponentScopes;
  readonly session: DriverSession | undefined;
  readonly elections: Elections | undefined;
  readonly components: readonly ManagedComponent[];
  readonly shutdown: Shutdown;
  readonly closed: AbortSignal;
  /** What `/ui` shows, where it is served. */
  readonly recorder?: CallRecorder;
}

/** Serves `/healthz`, `/livez`, `/readyz` and `/metrics` where the flags say. Returns how to close them; throws where it cannot listen. */
export function serveEndpoints({ program, plan, settings, processEnv, log }: PlannedProcess, parts: ReportedParts): () => void {
  const { registry, registries, scopes, session, components } = parts;
  const { clock } = processEnv;
  const leaderElection = () => parts.elections?.check();
  const watchdog = startWatchdog({
    ...{ clock, log, registry, signal: parts.closed },
    lastEntered: () => scopes.lastEntered,
    onTurn: endWhenStalled(processEnv, plan, parts.closed, log),
  });
  const driver = () => session && driverProblem(session);
  const endpoints = httpEndpoints({
    ...{ form: program.form, settings, clock, components },
    ...((plan.elections.length > 0 || program.form === "all-in-one") && { leaderElection }),
    ui: parts.recorder
      ? [
          uiPages({
            ...{ program, recorder: parts.recorder, clock },
            driver: () => session && driverState(session),
            controllers: components.map(({ readiness }) => readiness),
            registries: () => registries,
          }),
        ]
      : [],
    metrics: metricsPage(settings.process.metricsPath, () => registries, log),
    live: [
      { name: "event-loop", problem: () => watchdog.problem() },
      { name: "leader-election", problem: leaderElection },
      { name: "controllers", problem: () => parts.shutdown.failure },
    ],
    ready: [
      { name: "driver", problem: driver, warning: () => session && driverWarning(session) },
      ...components.map(({ readiness }) => readiness),
    ],
  });
  return serveHttp(endpoints, log).close;
}

/** Why the driver makes this process not ready: a replica that could not work if it led must not count as one in a roll-out or an eviction. */
function driverProblem({ address, reached, losses, presence: { goneForMs } }: DriverSession): string | undefined {
  if (goneForMs === undefined) return undefined;
  const problem =
    losses > 0 ? `has been away for ${Math.floor(goneForMs / 1_000)} s` : `${reached ? "has not answered" : "was not reached"} yet`;
  return `the CSI driver at ${address} ${problem}`;
}

function driverState(session: DriverSession): Activity["driver"] {
  const problem = driverProblem(session) ?? driverWarning(session);
  return { name: session.name, address: session.address, ...(problem !== undefined && { problem }) };
}

/** Most calls are answered at once; one that takes longer is no reason to think that nothing works. */
const silentMs = 10_000;

function driverWarning({ presence: { awayForMs }, silence: { forMs: silentForMs = 0 } }: DriverSession): string | undefined {
  const inSeconds = (ms: number) => `${Math.floor(ms / 1_000)} s`;
  if (awayForMs !== undefined) return `away for ${inSeconds(awayForMs)}`;
  return silentForMs < silentMs ? undefined : `no call was answered for ${inSeconds(silentForMs)}`;
}

/**
 * A leader whose event loop stands still for as long as it may go without renewing its lease ends: it could not answer a probe, and must
 * not act late. Returns what to call while the loop turns. Without a lease the kubelet's probe is enough.
 */
function endWhenStalled({ startStallTimer }: ProcessEnv, plan: ProcessPlan, closed: AbortSignal, log: Logger): () => void {
  if (!startStallTimer || plan.elections.length === 0) return () => {};
  let timer: StallTimer | undefined;
  closed.addEventListener("abort", () => timer?.stop(), { once: true });
  void startStallTimer(plan.timing.renewDeadlineMs).then(
    (started) => {
      timer = started;
      if (closed.aborted) timer.stop();
    },
    (error: unknown) => log.v(2).info("A stalled event loop will not end the process", { err: messageOf(error) }),
  );
  return () => timer?.restart();
}

interface HttpEndpointsOptions {
  readonly form: "all-in-one" | "individual";
  readonly settings: Settings;
  readonly components: readonly Pick<ManagedComponent, "component" | "health">[];
  /** The page, where it is served. */
  readonly ui: readonly Routes[];
  readonly metrics: Routes;
  readonly live: readonly Check[];
  readonly ready: readonly Check[];
  /**
   * What is wrong with the leader elections. Absent where there is no such path: in upstream's programs without an election. The all-in-one
   * always has it, so that a probe fits with and without `--leader-election`.
   */
  readonly leaderElection?: () => string | undefined;
  readonly clock: Clock;
}

/** What is served where, by the flags of the process and of its components. */
function httpEndpoints(options: HttpEndpointsOptions): readonly HttpEndpoint[] {
  const { form, settings, components, metrics, ui, clock } = options;
  const { httpEndpoint, metricsAddress, enablePprof } = settings.process;
  const profiles = enablePprof ? [profilePages(clock)] : [];
  const endpoints: HttpEndpoint[] = [];
  if (httpEndpoint !== "") {
    endpoints.push({ address: httpEndpoint, flag: "http-endpoint", routes: [metrics, sharedRoutes(options), ...ui, ...profiles] });
  }
  if (metricsAddress !== "") endpoints.push({ address: metricsAddress, flag: "metrics-address", routes: [metrics] });
  for (const { component, health } of components) {
    const flags = settings.of(component);
    const flagName = (flag: string) => settings.spelling(component.name, flag);
    const explicit = (flag: string) => settings.setBy(canonical(form, component.name, flag)) !== undefined;
    const own = component.ownEndpoint?.(flags, { httpEndpoint, explicit });
    if (own) {
      const healthz: Routes = { "/healthz": (request) => health.answer(request, true) };
      const more = own.metrics === false ? [] : [metrics, ...(httpEndpoint === "" ? profiles : [])];
      endpoints.push({ address: own.address, flag: flagName(own.flag), routes: [healthz, ...more] });
    }
    const ownMetrics = component.ownMetricsEndpoint?.(flags);
    if (ownMetrics) endpoints.push({ address: ownMetrics.address, flag: flagName(ownMetrics.flag), routes: [metrics] });
  }
  return endpoints;
}

/** The health of the process and of each of its components. */
function sharedRoutes({ components, live, ready, leaderElection }: HttpEndpointsOptions): Routes {
  const byName = components.map(({ component, health }): readonly [string, Route] => [
    `/healthz/${component.name}`,
    (request) => health.answer(request, component.healthPrecedence !== undefined),
  ]);
  return {
    "/healthz": plainHealth(components),
    ...(leaderElection && { "/healthz/leader-election": () => electionAnswer(leaderElection()) }),
    "/livez": checkPage("livez", live),
    "/readyz": checkPage("readyz", ready),
    ...Object.fromEntries(byName),
  };
}

/** The check of the component that takes precedence; without one it is enough that the process answers. */
function plainHealth(components: HttpEndpointsOptions["components"]): Route {
  const [first] = components
    .filter(({ component }) => component.healthPrecedence !== undefined)
    .sort((a, b) => (b.component.healthPrecedence ?? 0) - (a.component.healthPrecedence ?? 0));
  return first ? (request) => first.health.answer(request, true) : () => ({ status: 200, body: "ok" });
}

function electionAnswer(problem: string | undefined): Answer {
  return problem === undefined ? { status: 200, body: "ok" } : { status: 500, body: `internal server error: ${problem}\n` };
}
