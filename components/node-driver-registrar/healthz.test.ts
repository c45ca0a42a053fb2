import { describe, expect, test } from "bun:test";
import { rename, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { GrpcServer, RegistrationDefinition } from "@csi-sidecars/csi";
import { type TestNode, testNode } from "./testing/node.ts";

/** A registrar that does not put back its socket: what stands in its place stays. */
async function worldWith(place: (node: TestNode) => Promise<() => void | Promise<void>>) {
  const node = await testNode();
  const run = await node.registrar(["--http-endpoint=127.0.0.1:0", "--timeout=100ms"]);
  await run.wrote("Registration Server started");
  const url = await run.url();
  const remove = await place(node);
  return {
    node,
    healthz: async (path = "/healthz", init?: RequestInit) => {
      const response = await fetch(url + path, init);
      return [response.status, await response.text()] as const;
    },
    async [Symbol.asyncDispose]() {
      await remove();
      await node[Symbol.asyncDispose]();
    },
  };
}

const nothing = async () => () => {};

/** Takes the place of the socket, faster than it is noticed. */
async function foreign(node: TestNode, server: GrpcServer): Promise<() => Promise<void>> {
  await server.listen({ path: `${node.registry}/.foreign` });
  await rename(`${node.registry}/.foreign`, node.socket);
  return () => server.kill();
}

describe("/healthz", () => {
  test("a socket that answers: 200", async () => {
    await using world = await worldWith(nothing);
    expect(await world.healthz()).toEqual([200, "ok"]);
    expect(await world.healthz("/healthz", { method: "POST" })).toEqual([200, "ok"]);
    expect((await world.healthz("/healthz/"))[0]).toBe(404);
  });

  test("no socket: 404", async () => {
    await using world = await worldWith(async ({ socket }) => {
      await rm(socket);
      return () => {};
    });
    expect(await world.healthz()).toEqual([404, "registration socket does not exist"]);
  });

  test("a file that is no socket: 500", async () => {
    await using world = await worldWith(async ({ socket, registry }) => {
      await writeFile(`${registry}/.file`, "");
      await rename(`${registry}/.file`, socket);
      return () => {};
    });
    const [status, body] = await world.healthz();
    expect([status, body]).toEqual([500, expect.stringContaining("is not a socket")]);
  });

  test("a path that cannot be looked at: 500", async () => {
    await using world = await worldWith(async ({ socket, registry }) => {
      await symlink(socket, `${registry}/.loop`);
      await rename(`${registry}/.loop`, socket);
      return () => {};
    });
    const [status, body] = await world.healthz();
    expect([status, body]).toEqual([500, expect.stringContaining("ELOOP")]);
  });

  test("a socket that nobody speaks through: 500, soon", async () => {
    await using world = await worldWith(async ({ socket, registry }) => {
      const mute = createServer();
      await new Promise<void>((resolve) => mute.listen(`${registry}/.mute`, resolve));
      await rename(`${registry}/.mute`, socket);
      return () => void mute.close();
    });
    const started = performance.now();
    const [status, body] = await world.healthz();
    const path = world.node.socket;
    expect([status, body]).toEqual([500, `error connecting to node-registrar socket ${path}: context deadline exceeded`]);
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test("a server that does not know the call: 500", async () => {
    await using world = await worldWith((node) => foreign(node, new GrpcServer()));
    expect(await world.healthz()).toEqual([
      500,
      "error getting info from node-registrar socket: rpc error: code = Unimplemented desc = unknown service pluginregistration.Registration",
    ]);
  });

  test("a server that is too slow: 500", async () => {
    const slow = new GrpcServer().serve(RegistrationDefinition, { getInfo: () => new Promise(() => {}) });
    await using world = await worldWith((node) => foreign(node, slow));
    expect(await world.healthz()).toEqual([
      500,
      "error getting info from node-registrar socket: rpc error: code = DeadlineExceeded desc = context deadline exceeded",
    ]);
  });

  test("a server of another driver: 500", async () => {
    const stranger = new GrpcServer().serve(RegistrationDefinition, { getInfo: () => ({ name: "stranger" }) });
    await using world = await worldWith((node) => foreign(node, stranger));
    expect(await world.healthz()).toEqual([500, "invalid driver name stranger"]);
  });
});

test("profiles are served beside the health check if they are asked for", async () => {
  await using node = await testNode();
  const profiled = await node.registrar(["--http-endpoint=127.0.0.1:0", "--enable-pprof"]);
  expect((await fetch(`${await profiled.url()}/debug/pprof/`)).status).toBe(200);
});

test("what happens is told as metrics", async () => {
  await using node = await testNode();
  const run = await node.registrar(["--http-endpoint=127.0.0.1:0"]);
  const metrics = async () => (await fetch(`${await run.url()}/metrics`)).text();
  await run.wrote("Registration Server started");
  expect(await metrics()).toContain("csi_sidecars_driver_registered 0");
  const kubelet = await node.kubelet();
  await kubelet.until("the registration", () => kubelet.drivers.size === 1);
  expect(await metrics()).toContain("csi_sidecars_driver_registered 1");
  await rm(node.socket);
  await kubelet.until("the second one", () => kubelet.records.filter(({ kind }) => kind === "registered").length === 2);
  const text = await metrics();
  expect(text).toContain("csi_sidecars_registration_socket_recreations_total 1");
  expect(text).toMatch(/csi_sidecars_driver_registration_last_get_info_timestamp_seconds 1[.\d]+/);
});
