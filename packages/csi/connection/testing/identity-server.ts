import { IdentityDefinition } from "../../gen/csi.ts";
import { GrpcServer } from "../../grpc/server.ts";
import type { ServiceHandlers } from "../../grpc/service-definition.ts";

/** A driver that only says who it is. */
export async function identityServer(
  path: string,
  handlers: ServiceHandlers<typeof IdentityDefinition> = { getPluginInfo: () => ({ name: "driver.example.com" }) },
): Promise<GrpcServer & AsyncDisposable> {
  const server = new GrpcServer().serve(IdentityDefinition, handlers);
  await server.listen({ path });
  return Object.assign(server, { [Symbol.asyncDispose]: () => server.kill() });
}
