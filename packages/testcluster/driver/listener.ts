import { linkSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { GrpcServer, type HandlerContext, type ServiceHandlers } from "@csi-sidecars/csi";
import { type Method, type Request, services } from "./methods.ts";

/** Carries out a call. */
type Serve = <M extends Method>(method: M, request: Request<M>, context: HandlerContext) => Promise<object>;

/** One socket of a driver. */
export class Listener {
  readonly address: string;
  readonly #serve: Serve;
  #server: GrpcServer | undefined;

  constructor(address: string, serve: Serve) {
    this.address = address;
    this.#serve = serve;
  }

  async start(): Promise<void> {
    const server = new GrpcServer();
    for (const service of services) server.serve(service, this.#handlers(service) as ServiceHandlers<typeof service>);
    this.#server = server;
    await server.listen({ path: this.address });
  }

  /** Calls in flight are answered, and the socket is removed. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    await server?.shutdown();
    await rm(this.address, { force: true });
  }

  /** Calls in flight are never answered; the socket stays and nobody listens. */
  async kill(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    // A server that closes takes its socket with it; a process that is killed does not.
    const kept = `${this.address}.kept`;
    try {
      linkSync(this.address, kept);
    } catch {
      // The socket was removed before.
    }
    await server.kill();
    await rename(kept, this.address).catch(() => {});
  }

  #handlers(service: (typeof services)[number]): object {
    return Object.fromEntries(
      Object.entries(service.methods).map(([key, { name }]) => [
        key,
        (request: object, context: HandlerContext) => this.#serve(name as Method, request as never, context),
      ]),
    );
  }
}
