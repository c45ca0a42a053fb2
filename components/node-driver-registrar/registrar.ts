import { type Backoff, backoffDelays, messageOf } from "@csi-sidecars/base";
import type { Answer, ComponentContext } from "@csi-sidecars/host";
import type { registrarFlags } from "./flags.ts";
import { publishSocket } from "./publish-socket.ts";
import { type RegistrarMetrics, registrarMetrics } from "./registrar-metrics.ts";
import { pluginInfo, registrationServer } from "./registration-server.ts";
import { selfCheck } from "./self-check.ts";
import { pathProblem, removeIfSame, socketPathOf } from "./socket-file.ts";
import { untilLost } from "./until-lost.ts";

/** As kubelet restarts a container that ends. */
const retryBackoff: Backoff = { start: 10_000, factor: 2, cap: 300_000 };
/** A socket that disappears again and again is made again once a second. */
const recreationPauseMs = 1_000;

/** Why a socket is no longer served. */
type End =
  | { readonly why: "stopped" }
  | { readonly why: "lost" }
  | { readonly why: "refused"; readonly error: string }
  | { readonly why: "failed"; readonly error: unknown };

/** Keeps the registration socket where kubelet looks for it, from the start of the component to its end. */
export class Registrar {
  readonly #context: ComponentContext<typeof registrarFlags>;
  readonly #metrics: RegistrarMetrics;
  readonly #path: string;
  #lastError: string | undefined;
  #delays = backoffDelays(retryBackoff);

  constructor(context: ComponentContext<typeof registrarFlags>) {
    this.#context = context;
    this.#metrics = registrarMetrics(context.metrics);
    this.#metrics.registered(false);
    this.#path = socketPathOf(context.flags.pluginRegistrationPath, context.driver.name);
  }

  check(): Promise<Answer> {
    const { clock, driver, flags } = this.#context;
    return selfCheck({ path: this.#path, driverName: driver.name, timeoutMs: flags.timeout, lastError: this.#lastError, clock });
  }

  /**
   * Resolves after a stop. Where it is the only component it rejects when kubelet refuses the driver, or when the socket cannot be
   * made at first: the restart of the container is the retry then. Beside other components it tries again by itself.
   */
  async run(): Promise<void> {
    const { alone, clock, log, signal } = this.#context;
    let published = false;
    while (!signal.aborted) {
      const end: End = await this.#serve(published).catch((error): End => ({ why: "failed", error }));
      if (end.why === "stopped") return;
      if (end.why === "failed") {
        if (alone && !published) throw end.error;
        log.error(end.error, "Registration socket could not be made, will be tried again", { socketPath: this.#path });
        this.#lastError = messageOf(end.error);
      }
      if (end.why === "refused") {
        if (alone) throw new Error(end.error);
        this.#lastError = `kubelet refused the registration: ${end.error}`;
      }
      published ||= end.why !== "failed";
      if (end.why !== "lost") await clock.sleep(this.#delays.next().value, signal).catch(() => undefined);
    }
  }

  /** One socket, from its making to its end. */
  async #serve(again: boolean): Promise<End> {
    const { alone, clock, driver, flags, log, signal, spelled } = this.#context;
    const path = this.#path;
    const problem = pathProblem(path, spelled("plugin-registration-path"));
    if (problem !== undefined) throw new Error(problem);
    const refusal = new AbortController();
    const server = registrationServer({
      ...{ clock, log, info: pluginInfo(driver.name, flags.kubeletRegistrationPath) },
      asked: () => this.#metrics.asked(clock.now() / 1_000),
      registered: () => this.#registered(),
      refused: (error) => {
        const consequence = alone ? "restarting registration container" : "the socket will be offered again";
        log.error(new Error(error), `Registration process failed with error, ${consequence}`);
        this.#metrics.refused();
        this.#metrics.registered(false);
        refusal.abort(error);
        return alone;
      },
    });
    const started = clock.monotonic();
    log.info("Starting Registration Server", { socketPath: path });
    const identity = await publishSocket(path, server);
    log.info("Registration Server started", { socketPath: path });
    if (again) this.#metrics.recreated();
    await untilLost({ path, identity, driverName: driver.name, clock, log, signal: AbortSignal.any([signal, refusal.signal]) });
    if (refusal.signal.aborted) {
      // A process that ends leaves the socket to its successor; one that goes on lets kubelet see it come again.
      if (alone) await server.kill();
      else await removeIfSame(path, identity).finally(() => server.shutdown());
      return { why: "refused", error: String(refusal.signal.reason) };
    }
    if (signal.aborted) {
      await removeIfSame(path, identity).finally(() => server.kill());
      return { why: "stopped" };
    }
    log.info("Registration socket is gone, it is made again", { socketPath: path });
    this.#metrics.registered(false);
    await server.kill();
    await clock.sleep(Math.max(0, recreationPauseMs - (clock.monotonic() - started)), signal).catch(() => undefined);
    return { why: "lost" };
  }

  #registered(): void {
    this.#metrics.registered(true);
    this.#lastError = undefined;
    this.#delays = backoffDelays(retryBackoff);
  }
}
