import { type Clock, deferred, type Logger, messageOf } from "@csi-sidecars/base";
import { GrpcServer, type ListenAddress } from "@csi-sidecars/csi";
import type { GroupVersion } from "./api-groups.ts";
import type { ServedVersion } from "./service-for.ts";

/** One group in one version, and where it is served. */
export interface ServerEndpoint extends ServedVersion {
  readonly groupVersion: GroupVersion;
  readonly address: ListenAddress;
}

export interface CsiProxyServerOptions {
  readonly endpoints: readonly ServerEndpoint[];
  readonly clock: Clock;
  readonly log: Logger;
}

/** Several things went wrong; each is worth a line of its own. */
export class ServerFailure extends Error {
  override readonly name = "ServerFailure";
  readonly reasons: readonly string[];

  constructor(reasons: readonly string[]) {
    super(reasons.join("; "));
    this.reasons = reasons;
  }
}

/**
 * The v1 server: a gRPC server for each group and version, on an endpoint of its own that serves nothing else. A pod that was given one
 * endpoint must not reach the others through it.
 */
export class CsiProxyServer {
  readonly #servers: readonly { readonly server: GrpcServer; readonly address: ListenAddress }[];
  readonly #failures: string[] = [];
  readonly #failed = deferred<void>();
  /** Resolves when an endpoint fails after the start. Whoever runs the server then stops it: clients expect all endpoints or none. */
  readonly failed: Promise<void> = this.#failed.promise;
  #state: "new" | "starting" | "serving" | "stopping" = "new";

  constructor({ endpoints, clock, log }: CsiProxyServerOptions) {
    this.#servers = endpoints.map(({ groupVersion: { group, version }, definition, handlers, address }) => {
      const onFailure = (error: Error) => this.#fail(`GRPC server for API group ${group} version ${version} failed: ${error.message}`);
      const server = new GrpcServer({ clock, log, anyAuthority: true, onFailure }).serve(definition, handlers);
      return { server, address };
    });
  }

  /** Whether every endpoint is served. */
  get serving(): boolean {
    return this.#state === "serving";
  }

  /** Listens on all endpoints or, where one is not to be had, on none: then it rejects with a `ServerFailure` that names all of these. */
  async start(): Promise<void> {
    if (this.#state !== "new") throw new Error("server already started");
    this.#state = "starting";
    const results = await Promise.allSettled(this.#servers.map(({ server, address }) => server.listen(address)));
    const failures = results.flatMap((result) => (result.status === "rejected" ? [messageOf(result.reason)] : []));
    if (failures.length > 0) {
      await Promise.all(this.#servers.map(({ server }) => server.kill()));
      throw new ServerFailure(failures);
    }
    if (this.#state === "starting") this.#state = "serving";
  }

  /** What has failed after the start. */
  get failures(): readonly string[] {
    return this.#failures;
  }

  /** Takes no more calls, and resolves when those under way are answered. */
  async stop(): Promise<void> {
    if (this.#state === "new") throw new Error("server not started yet");
    this.#state = "stopping";
    await Promise.all(this.#servers.map(({ server }) => server.shutdown()));
  }

  #fail(reason: string): void {
    this.#failures.push(reason);
    this.#failed.resolve();
  }
}
