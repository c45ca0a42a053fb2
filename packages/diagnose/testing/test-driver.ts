import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  ControllerDefinition,
  ControllerServiceCapability_RPC_Type as ControllerRpc,
  GrpcServer,
  IdentityDefinition,
  PluginCapability_Service_Type as Service,
} from "@csi-sidecars/csi";

export interface TestDriver extends AsyncDisposable {
  readonly address: string;
  /** The calls that reached it. */
  readonly calls: string[];
}

/** A driver that introduces itself and can do what it is told it can. */
export async function startDriver(
  options: { readonly controller?: readonly ControllerRpc[]; readonly ready?: boolean; readonly silent?: boolean } = {},
): Promise<TestDriver> {
  const folder = await mkdtemp(join(tmpdir(), "driver-"));
  const path = join(folder, "csi.sock");
  const calls: string[] = [];
  const answer = async <T>(call: string, value: T): Promise<T> => {
    calls.push(call);
    if (options.silent) await new Promise(() => {});
    return value;
  };
  const controller = options.controller ?? [ControllerRpc.CREATE_DELETE_VOLUME];
  const server = new GrpcServer()
    .serve(IdentityDefinition, {
      getPluginInfo: () => answer("GetPluginInfo", { name: "driver.example.com", vendorVersion: "v9" }),
      probe: () => answer("Probe", { ready: options.ready ?? true }),
      getPluginCapabilities: () =>
        answer("GetPluginCapabilities", { capabilities: [{ type: { $case: "service", service: { type: Service.CONTROLLER_SERVICE } } }] }),
    })
    .serve(ControllerDefinition, {
      controllerGetCapabilities: () =>
        answer("ControllerGetCapabilities", { capabilities: controller.map((type) => ({ type: { $case: "rpc", rpc: { type } } })) }),
    });
  await server.listen({ path });
  return {
    address: path,
    calls,
    async [Symbol.asyncDispose]() {
      await server.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
