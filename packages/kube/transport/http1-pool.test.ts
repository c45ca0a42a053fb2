import { describe, expect, test } from "bun:test";
import { Http1Pool } from "./http1-pool.ts";
import type { Dial, WireEvents } from "./wire.ts";

class ScriptedWire {
  readonly events: WireEvents;
  readonly log: string[] = [];
  flushed = true;

  constructor(events: WireEvents) {
    this.events = events;
  }

  write(text: string): void {
    this.log.push(text.split(" HTTP/1.1", 1)[0] ?? "");
  }
  pause(): void {
    this.log.push("pause");
  }
  resume(): void {}
  rest(): void {}
  wake(): void {}
  end(): void {
    this.log.push("ended");
    this.events.closed(undefined);
  }
  answer(text = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"): void {
    this.events.received(Buffer.from(text));
  }
}

function world() {
  const wires: ScriptedWire[] = [];
  const dial: Dial = (events) => {
    const wire = new ScriptedWire(events);
    wires.push(wire);
    return wire;
  };
  const pool = new Http1Pool("https://server", dial);
  const ask = (path: string, { method = "GET", signal = new AbortController().signal } = {}) =>
    pool.send({ method, path, headers: {}, signal }).then((response) => response.text());
  const wire = (index: number): ScriptedWire => {
    const found = wires[index];
    if (!found) throw new Error(`there is no connection ${index}`);
    return found;
  };
  return { pool, wires, wire, ask };
}

/** A connection that has carried a request before. */
async function used() {
  const made = world();
  const first = made.ask("/first");
  made.wire(0).events.opened();
  made.wire(0).answer();
  await first;
  return made;
}

const reset = Object.assign(new Error("reset"), { code: "ECONNRESET" });

describe("connections", () => {
  test("are used again", async () => {
    const { ask, wire, wires } = await used();
    const second = ask("/second");
    wire(0).answer();
    expect(await second).toBe("ok");
    expect(wires).toHaveLength(1);
    expect(wire(0).log).toEqual(["GET /first", "GET /second"]);
  });

  test("of a burst are few: who waits takes the first that is free", async () => {
    const { ask, wire, wires } = world();
    const asked = Array.from({ length: 50 }, (_, index) => ask(`/${index}`));
    expect(wires).toHaveLength(4);
    wire(2).events.opened();
    for (let left = asked.length; left > 0; left--) wire(2).answer();
    expect(await Promise.all(asked)).toEqual(Array(50).fill("ok"));
    expect(wire(2).log).toEqual(Array.from({ length: 50 }, (_, index) => `GET /${index}`));
    expect(wires.length).toBeLessThan(10);
  });

  test("grow in number where all are held", async () => {
    const { ask, wires } = world();
    for (let index = 0; index < 40; index++) void ask(`/${index}`);
    for (let index = 0; index < 40; index++) wires[index]?.events.opened();
    expect(wires).toHaveLength(40);
  });

  test("beyond the 25 that are kept end, the longest idle first", async () => {
    const { ask, wires, wire } = world();
    const asked = Array.from({ length: 30 }, (_, index) => ask(`/${index}`));
    for (let index = 0; index < 30; index++) wire(index).events.opened();
    for (const one of wires) one.answer();
    await Promise.all(asked);
    expect(wires.filter(({ log }) => log.includes("ended"))).toEqual(wires.slice(0, 5));
  });

  test("that say something unasked, or more than was asked, end", async () => {
    const { ask, wire } = await used();
    wire(0).answer("HTTP/1.1 200 OK\r\n\r\n");
    expect(wire(0).log).toContain("ended");
    const next = ask("/next");
    wire(1).events.opened();
    wire(1).answer("HTTP/1.1 204 OK\r\n\r\nHTTP/1.1 204 OK\r\n\r\n");
    expect(await next).toBe("");
    expect(wire(1).log).toContain("ended");
  });

  test("whose request had not left when the answer came carry no other", async () => {
    const { ask, wire } = world();
    const refused = ask("/large", { method: "POST" });
    wire(0).events.opened();
    wire(0).flushed = false;
    wire(0).answer();
    expect(await refused).toBe("ok");
    expect(wire(0).log).toContain("ended");
  });
});

describe("a connection that had ended when it was used again", () => {
  test.each(["GET", "PUT", "DELETE"])("costs %s nothing but a new one", async (method) => {
    const { ask, wire } = await used();
    const second = ask("/second", { method });
    wire(0).events.closed(reset);
    wire(1).events.opened();
    expect(wire(1).log).toEqual([`${method} /second`]);
    wire(1).answer();
    expect(await second).toBe("ok");
  });

  test.each(["POST", "PATCH"])("fails %s, which may have been done", async (method) => {
    const { ask, wire, wires } = await used();
    const second = ask("/second", { method });
    wire(0).events.closed(undefined);
    await expect(second).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(wires).toHaveLength(1);
  });

  test("is tried once", async () => {
    const { ask, wire } = await used();
    const second = ask("/second");
    wire(0).events.closed(reset);
    wire(1).events.opened();
    wire(1).events.closed(reset);
    await expect(second).rejects.toBe(reset);
  });

  test("is no reason to ask again once the answer has begun", async () => {
    const { ask, wire } = await used();
    const second = ask("/second");
    wire(0).answer("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nbeg");
    wire(0).events.closed(undefined);
    await expect(second).rejects.toMatchObject({ code: "ECONNRESET" });
  });
});

describe("a connection that cannot be had", () => {
  test("fails one request, and the next one tries again", async () => {
    const { ask, wire, wires } = world();
    const first = ask("/first");
    wire(0).events.closed(Object.assign(new Error("no"), { code: "ECONNREFUSED" }));
    await expect(first).rejects.toMatchObject({ code: "ECONNREFUSED" });
    const second = ask("/second");
    wire(1).events.opened();
    wire(1).answer();
    expect(await second).toBe("ok");
    expect(wires).toHaveLength(2);
  });

  test("and never says so ends with the patience of those who wait for it", async () => {
    const { ask, wire, wires } = world();
    const aborts = Array.from({ length: 5 }, () => new AbortController());
    const asked = aborts.map(({ signal }, index) => ask(`/${index}`, { signal }));
    aborts[0]?.abort(new Error("deadline"));
    await expect(asked[0]).rejects.toThrow("deadline");
    expect(wire(0).log).toEqual(["ended"]);
    expect(wires).toHaveLength(5);
    wire(4).events.opened();
    expect(wire(4).log).toEqual(["GET /1"]);
  });
});

test("who gives up ends the connection that carries the request", async () => {
  const { ask, wire } = world();
  const abort = new AbortController();
  const asked = ask("/", { signal: abort.signal });
  wire(0).events.opened();
  abort.abort(new Error("enough"));
  await expect(asked).rejects.toThrow("enough");
  expect(wire(0).log).toEqual(["GET /", "ended"]);
});

test("a body that nobody reads makes the server wait", async () => {
  const { pool, wire } = world();
  const asked = pool.send({ method: "GET", path: "/", headers: {}, signal: new AbortController().signal });
  wire(0).events.opened();
  wire(0).answer("HTTP/1.1 200 OK\r\n\r\n");
  const response = await asked;
  for (let index = 0; index < 10; index++) wire(0).answer("x".repeat(100_000));
  expect(wire(0).log.filter((line) => line === "pause")).toHaveLength(1);
  expect((await response.read())?.length).toBe(100_000);
});

test("a closed pool serves those who wait, and keeps nothing", async () => {
  const { pool, ask, wire } = world();
  const asked = ask("/");
  pool.close();
  wire(0).events.opened();
  wire(0).answer();
  expect(await asked).toBe("ok");
  expect(wire(0).log).toEqual(["GET /", "ended"]);
});
