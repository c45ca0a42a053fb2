import { type Backoff, backoffDelays, messageOf } from "@csi-sidecars/base";
import type { Answer, ComponentContext } from "@csi-sidecars/host";
import type { registrarFlags } from "./flags.ts";
import { checkRegistration } from "./healthz.ts";
import { type RegistrarMetrics, registrarMetrics } from "./metrics.ts";
import { pluginInfo, registrationServer } from "./registration-service.ts";
import { publishSocket, registrationSocketPath, removeIfSame, socketPathProblem } from "./registration-socket.ts";
import { untilSocketLost } from "./watch-socket.ts";

/** As kubelet restarts a container that exits. */
const retryBackoff: Backoff = { start: 10_000, factor: 2, cap: 300_000 };
/** A socket that keeps disappearing is created at most once a second. */
const recreationPauseMs = 1_000;

/** Why a socket is no longer served. */
type End =
  | { readonly reason: "stopped" }
  | { readonly reason: "lost" }
  | { readonly reason: "refused"; readonly error: string }
  | { readonly reason: "failed"; readonly error: unknown };

/** Keeps the registration socket in kubelet's plugin registry for as long as the component runs. */
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
    this.#path = registrationSocketPath(context.flags.pluginRegistrationPath, context.driver.name);
  }

  check(): Promise<Answer> {
    const { clock, driver, flags } = this.#context;
    return checkRegistration({ path: this.#path, driverName: driver.name, timeoutMs: flags.timeout, lastError: this.#lastError, clock });
  }

  /**
   * Resolves after a stop. As the only component it rejects when kubelet refuses the driver, or when the socket cannot be created
   * at first: restarting the container is the retry. Beside other components it retries by itself.
   */
  async run(): Promise<void> {
    const { isOnlyComponent, clock, log, signal } = this.#context;
    let published = false;
    while (!signal.aborted) {
      const end: End = await this.#serve(published).catch((error): End => ({ reason: "failed", error }));
      if (end.reason === "stopped") return;
      if (end.reason === "failed") {
        if (isOnlyComponent && !published) throw end.error;
        log.error(end.error, "Failed to create the registration socket, will be retried", { socketPath: this.#path });
        this.#lastError = messageOf(end.error);
      }
      if (end.reason === "refused") {
        if (isOnlyComponent) throw new Error(end.error);
        this.#lastError = `kubelet refused the registration: ${end.error}`;
      }
      published ||= end.reason !== "failed";
      if (end.reason !== "lost") await clock.sleep(this.#delays.next().value, signal).catch(() => undefined);
    }
  }

  /** Publishes one socket and serves it until it is lost, refused or stopped. */
  async #serve(again: boolean): Promise<End> {
    const { isOnlyComponent, clock, driver, flags, log, signal, flagName } = this.#context;
    const path = this.#path;
    const problem = socketPathProblem(path, flagName("plugin-registration-path"));
    if (problem !== undefined) throw new Error(problem);
    const refusal = new AbortController();
    const server = registrationServer({
      ...{ clock, log, info: pluginInfo(driver.name, flags.kubeletRegistrationPath) },
      asked: () => this.#metrics.asked(clock.now() / 1_000),
      registered: () => this.#registered(),
      refused: (error) => {
        const consequence = isOnlyComponent ? "restarting registration container" : "the socket will be offered again";
        log.error(new Error(error), `Registration process failed with error, ${consequence}`);
        this.#metrics.refused();
        this.#metrics.registered(false);
        refusal.abort(error);
        return isOnlyComponent;
      },
    });
    const started = clock.monotonic();
    log.info("Starting Registration Server", { socketPath: path });
    const identity = await publishSocket(path, server);
    log.info("Registration Server started", { socketPath: path });
    if (again) this.#metrics.recreated();
    await untilSocketLost({ path, identity, driverName: driver.name, clock, log, signal: AbortSignal.any([signal, refusal.signal]) });
    if (refusal.signal.aborted) {
      // A process that exits leaves the socket to its successor; one that keeps running lets kubelet see a new one.
      if (isOnlyComponent) await server.kill();
      else await removeIfSame(path, identity).finally(() => server.shutdown());
      return { reason: "refused", error: String(refusal.signal.reason) };
    }
    if (signal.aborted) {
      await removeIfSame(path, identity).finally(() => server.kill());
      return { reason: "stopped" };
    }
    log.info("Registration socket is gone, creating it again", { socketPath: path });
    this.#metrics.registered(false);
    await server.kill();
    await clock.sleep(Math.max(0, recreationPauseMs - (clock.monotonic() - started)), signal).catch(() => undefined);
    return { reason: "lost" };
  }

  #registered(): void {
    this.#metrics.registered(true);
    this.#lastError = undefined;
    this.#delays = backoffDelays(retryBackoff);
  }
}
