import { describe, expect, test } from "bun:test";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { silentLogger } from "@csi-sidecars/base";
import { until } from "@csi-sidecars/base/testing";
import { startWorld } from "../testing/driver-world.ts";
import { startProxy } from "./proxy.ts";

async function world() {
  const scratch = await startWorld({ backend: "memory" });
  const endpoint = scratch.path("proxied.sock");
  const proxy = await startProxy({ endpoint, proxyEndpoint: "tcp://127.0.0.1:0", log: silentLogger });
  const received = new Map<Socket, string>();
  const open = async (socket: Socket) => {
    received.set(socket, "");
    socket.setEncoding("utf8").on("data", (text: string) => received.set(socket, received.get(socket) + text));
    socket.on("error", () => {});
    await once(socket, "connect");
    return socket;
  };
  return {
    client: () => open(connect(endpoint)),
    driver: () => open(connect(proxy.port ?? 0, "127.0.0.1")),
    text: (socket: Socket) => received.get(socket),
    got: (socket: Socket, text: string) => until(`${text} arrives`, () => received.get(socket) === text),
    async [Symbol.asyncDispose]() {
      for (const socket of received.keys()) socket.destroy();
      await proxy.stop();
      await scratch[Symbol.asyncDispose]();
    },
  };
}

describe("the proxy", () => {
  test.each(["client", "driver"] as const)("joins the two sides whoever comes first: the %s", async (first) => {
    await using w = await world();
    const one = await w[first]();
    one.write("early");
    const other = await w[first === "client" ? "driver" : "client"]();
    await w.got(other, "early");
    other.write("answer");
    await w.got(one, "answer");
  });

  test.each(["client", "driver"] as const)("closes the other side when the %s closes", async (side) => {
    await using w = await world();
    const sides = { client: await w.client(), driver: await w.driver() };
    sides.client.write("x");
    await w.got(sides.driver, "x");
    const other = sides[side === "client" ? "driver" : "client"];
    const closed = once(other, "close");
    sides[side].end();
    await closed;
    expect(other.destroyed).toBe(true);
  });

  test.each(["client", "driver"] as const)("loses nothing of what the %s sent before it closed", async (side) => {
    await using w = await world();
    const sides = { client: await w.client(), driver: await w.driver() };
    const [from, to] = side === "client" ? [sides.client, sides.driver] : [sides.driver, sides.client];
    const text = "0123456789abcdef".repeat(512 * 1024);
    const closed = once(to, "close");
    // The reader is slower than the writer: the last of it waits in the proxy while the writer is gone.
    to.on("data", () => {
      to.pause();
      setImmediate(() => to.resume());
    });
    from.end(text);
    await closed;
    expect(w.text(to)?.length).toBe(text.length);
  });

  test("listens nowhere when one of its endpoints cannot be had", async () => {
    const scratch = await startWorld({ backend: "memory" });
    const endpoint = scratch.path("proxied.sock");
    await expect(startProxy({ endpoint, proxyEndpoint: scratch.path("csi.sock"), log: silentLogger })).rejects.toThrow("another process");
    await until("the first is given back", () => !existsSync(endpoint));
    await scratch[Symbol.asyncDispose]();
  });

  test("keeps many connections apart", async () => {
    await using w = await world();
    for (let i = 0; i < 20; i++) {
      const [client, driver] = [await w.client(), await w.driver()];
      client.write(`ask ${i}`);
      await w.got(driver, `ask ${i}`);
      driver.write(`answer ${i}`);
      await w.got(client, `answer ${i}`);
    }
  });

  test("forgets a client that left while waiting", async () => {
    await using w = await world();
    const gone = await w.client();
    gone.destroy();
    await once(gone, "close");
    // Both ends are in this process: its event loop has told the proxy by then.
    await Bun.sleep(20);
    const client = await w.client();
    const driver = await w.driver();
    client.write("x");
    await w.got(driver, "x");
  });

  test("a client that left after it sent something takes one driver with it, not two", async () => {
    await using w = await world();
    const gone = await w.client();
    gone.write("never mind");
    gone.destroy();
    await once(gone, "close");
    const client = await w.client();
    const first = await w.driver();
    await until("the first driver is done with the client that left", () => first.closed);
    expect(w.text(first)).toBe("never mind");
    const second = await w.driver();
    client.write("x");
    await w.got(second, "x");
  });
});
