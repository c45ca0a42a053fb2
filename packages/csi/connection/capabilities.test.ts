import { describe, expect, test } from "bun:test";
import { until } from "@csi-sidecars/base/testing";
import {
  ControllerDefinition,
  ControllerServiceCapability_RPC_Type as ControllerRpc,
  PluginCapability_VolumeExpansion_Type as Expansion,
  type GetPluginCapabilitiesResponse,
  GroupControllerDefinition,
  GroupControllerServiceCapability_RPC_Type as GroupRpc,
  IdentityDefinition,
  NodeDefinition,
  NodeServiceCapability_RPC_Type as NodeRpc,
  PluginCapability_Service_Type as Service,
} from "../gen/csi.ts";
import { GrpcServer } from "../grpc/server.ts";
import { Code, GrpcError } from "../grpc/status.ts";
import { tempSocket } from "../grpc/testing/temp-socket.ts";
import { connectDriver } from "./connect.ts";

const rpc = <T>(type: T) => ({ type: { $case: "rpc" as const, rpc: { type } } });
const unknown = 4711 as ControllerRpc;
const service = (type: Service) => ({ type: { $case: "service" as const, service: { type } } });
const allServices = [service(Service.CONTROLLER_SERVICE), service(Service.GROUP_CONTROLLER_SERVICE)];

async function world(answers: { plugin?: GetPluginCapabilitiesResponse["capabilities"]; controller?: ControllerRpc[]; error?: GrpcError }) {
  const socket = await tempSocket();
  const calls: string[] = [];
  const start = async () => {
    const answer = <T>(name: string, value: T): T => {
      calls.push(name);
      if (answers.error) throw answers.error;
      return value;
    };
    const server = new GrpcServer()
      .serve(IdentityDefinition, { getPluginCapabilities: () => answer("plugin", { capabilities: answers.plugin ?? allServices }) })
      .serve(ControllerDefinition, {
        controllerGetCapabilities: () => answer("controller", { capabilities: [{}, ...(answers.controller ?? []).map(rpc)] }),
      })
      .serve(GroupControllerDefinition, {
        groupControllerGetCapabilities: () => answer("group", { capabilities: [rpc(GroupRpc.CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT)] }),
      })
      .serve(NodeDefinition, { nodeGetCapabilities: () => answer("node", { capabilities: [rpc(NodeRpc.EXPAND_VOLUME), {}] }) });
    await server.listen(socket);
    return server;
  };
  let server = await start();
  const connection = await connectDriver({ address: socket.path });
  return {
    answers,
    calls,
    connection,
    async restart() {
      await server.kill();
      await until("noticed", () => connection.state.phase === "connecting");
      server = await start();
      await until("back", () => connection.state.phase === "ready");
    },
    async [Symbol.asyncDispose]() {
      connection.close();
      await server.kill();
      await socket[Symbol.asyncDispose]();
    },
  };
}

describe("capabilities", () => {
  test("of the plugin: known, unknown and empty entries", async () => {
    await using w = await world({
      plugin: [
        { type: { $case: "service", service: { type: Service.CONTROLLER_SERVICE } } },
        { type: undefined },
        { type: { $case: "service", service: { type: 99 as Service } } },
        { type: { $case: "volumeExpansion", volumeExpansion: { type: Expansion.OFFLINE } } },
      ],
    });
    const found = await w.connection.capabilities.plugin();
    expect([...found.services] as number[]).toEqual([Service.CONTROLLER_SERVICE, 99]);
    expect([...found.volumeExpansion]).toEqual([Expansion.OFFLINE]);
  });

  test("of the services: known, unknown and empty entries", async () => {
    await using w = await world({ controller: [ControllerRpc.CREATE_DELETE_VOLUME, unknown, ControllerRpc.CREATE_DELETE_VOLUME] });
    const { capabilities } = w.connection;
    expect(await capabilities.controller()).toEqual(new Set([ControllerRpc.CREATE_DELETE_VOLUME, unknown]));
    expect(await capabilities.groupController()).toEqual(new Set([GroupRpc.CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT]));
    expect(await capabilities.node()).toEqual(new Set([NodeRpc.EXPAND_VOLUME]));
  });

  test("none", async () => {
    await using w = await world({ controller: [] });
    expect((await w.connection.capabilities.controller()).size).toBe(0);
  });

  test.each<{ has: string; plugin: typeof allServices; calls: string[] }>([
    { has: "no service", plugin: [], calls: ["plugin"] },
    { has: "a controller service", plugin: [service(Service.CONTROLLER_SERVICE)], calls: ["plugin", "controller"] },
    { has: "a group controller service", plugin: [service(Service.GROUP_CONTROLLER_SERVICE)], calls: ["plugin", "group"] },
  ])("a plugin that has $has is asked about no other one", async ({ plugin, calls }) => {
    await using w = await world({ plugin, controller: [ControllerRpc.GET_VOLUME] });
    const { capabilities } = w.connection;
    const found = [await capabilities.controller(), await capabilities.groupController()];
    expect([w.calls, found.map(({ size }) => size)]).toEqual([
      calls,
      [Number(calls.includes("controller")), Number(calls.includes("group"))],
    ]);
  });

  test("errors are passed on and not remembered", async () => {
    await using w = await world({ error: new GrpcError(Code.Internal, "not now"), controller: [ControllerRpc.GET_VOLUME] });
    for (const read of [w.connection.capabilities.plugin, w.connection.capabilities.controller]) {
      expect(await read().catch(String)).toBe("rpc error: code = Internal desc = not now");
    }
    delete w.answers.error;
    expect(await w.connection.capabilities.controller()).toEqual(new Set([ControllerRpc.GET_VOLUME]));
  });

  test("are read once per connection, however many ask, and again after a reconnect", async () => {
    await using w = await world({ controller: [ControllerRpc.GET_VOLUME] });
    const { capabilities } = w.connection;
    await Promise.all(Array.from({ length: 5 }, () => capabilities.controller({ timeoutMs: 1_000 })));
    await capabilities.controller();
    expect(w.calls).toEqual(["plugin", "controller"]);
    w.answers.controller = [ControllerRpc.EXPAND_VOLUME];
    await w.restart();
    expect(await capabilities.controller()).toEqual(new Set([ControllerRpc.EXPAND_VOLUME]));
    expect(w.calls).toEqual(["plugin", "controller", "plugin", "controller"]);
  });
});
