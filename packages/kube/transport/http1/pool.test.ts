import { describe, expect, test } from "bun:test";
import type { Dial, SocketEvents } from "./connection.ts";
import { Http1Pool } from "./pool.ts";

class ScriptedSocket {
  readonly events: SocketEvents;
  readonly log: string[] = [];
  flushed = true;
  readonly #looks: (() => void)[] = [];

  constructor(events: SocketEvents) {
    this.events = events;
  }

  write(text: string): void {
    this.log.push(text.split(" HTTP/1.1", 1)[0] ?? "");
  }
  pause(): void {
    this.log.push("pause");
  }
  resume(): void {}
  setIdle(): void {}
  setActive(): void {}
  afterReceiving(callback: () => void): void {
    this.#looks.push(callback);
  }
  /** Whatever had arrived was received. */
  looked(): void {
    for (const callback of this.#looks.splice(0)) callback();
  }
  end(): void {
    this.log.push("ended");
    this.events.closed(undefined);
  }
  answer(text = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"): void {
    this.events.received(Buffer.from(text));
  }
}

function world() {
  const sockets: ScriptedSocket[] = [];
  const dial: Dial = (events) => {
    const socket = new ScriptedSocket(events);
    sockets.push(socket);
    return socket;
  };
  const pool = new Http1Pool("https://server", dial);
  const ask = (path: string, { method = "GET", signal = new AbortController().signal } = {}) =>
    pool.send({ method, path, headers: {}, signal }).then((response) => response.text());
  const socket = (index: number): ScriptedSocket => {
    const found = sockets[index];
    if (!found) throw new Error(`there is no connection ${index}`);
    return found;
  };
  return { pool, sockets, socket, ask };
}

/** A connection that has carried a request before. */
async function used() {
  const made = world();
  const first = made.ask("/first");
  made.socket(0).events.opened();
  made.socket(0).answer();
  await first;
  return made;
}

const reset = Object.assign(new Error("reset"), { code: "ECONNRESET" });

describe("connections", () => {
  test("are used again", async () => {
    const { ask, socket, sockets } = await used();
    const second = ask("/second");
    expect(socket(0).log).toEqual(["GET /first"]);
    socket(0).looked();
    socket(0).answer();
    expect(await second).toBe("ok");
    expect(sockets).toHaveLength(1);
    expect(socket(0).log).toEqual(["GET /first", "GET /second"]);
  });

  test.each(["GET", "PUT", "POST", "PATCH", "DELETE"])("that had received something are not used for %s", async (method) => {
    const { ask, socket } = await used();
    const second = ask("/second", { method });
    socket(0).answer("HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n");
    socket(0).looked();
    expect(socket(0).log).toEqual(["GET /first", "ended"]);
    socket(1).events.opened();
    socket(1).answer();
    expect(await second).toBe("ok");
    expect(socket(1).log).toEqual([`${method} /second`]);
  });

  test.each(["GET", "PUT", "POST", "PATCH", "DELETE"])("that had ended are not used for %s", async (method) => {
    const { ask, socket } = await used();
    const second = ask("/second", { method });
    socket(0).events.closed(undefined);
    socket(0).looked();
    expect(socket(0).log).toEqual(["GET /first"]);
    socket(1).events.opened();
    socket(1).answer();
    expect(await second).toBe("ok");
  });

  test("are not used for a call that was cancelled before it was sent", async () => {
    const { ask, socket, sockets } = await used();
    const abort = new AbortController();
    const second = ask("/second", { signal: abort.signal });
    abort.abort(new Error("enough"));
    socket(0).looked();
    await expect(second).rejects.toThrow("enough");
    expect(socket(0).log).toEqual(["GET /first", "ended"]);
    expect(sockets).toHaveLength(1);
  });

  test("that were opened for a call that is gone are looked at too", async () => {
    const { ask, socket } = world();
    const abort = new AbortController();
    const [first, second] = [ask("/first", { signal: abort.signal }), ask("/second")];
    socket(0).events.opened();
    socket(0).answer();
    socket(0).looked();
    socket(0).answer();
    await Promise.all([first, second]);
    socket(1).events.opened();
    void ask("/third");
    expect(socket(1).log).toEqual([]);
    socket(1).looked();
    expect(socket(1).log).toEqual(["GET /third"]);
  });

  test("of a burst are few: waiting calls take the first free one", async () => {
    const { ask, socket, sockets } = world();
    const asked = Array.from({ length: 50 }, (_, index) => ask(`/${index}`));
    expect(sockets).toHaveLength(4);
    socket(2).events.opened();
    for (let left = asked.length; left > 0; left--) {
      socket(2).looked();
      socket(2).answer();
    }
    expect(await Promise.all(asked)).toEqual(Array(50).fill("ok"));
    expect(socket(2).log).toEqual(Array.from({ length: 50 }, (_, index) => `GET /${index}`));
    expect(sockets.length).toBeLessThan(10);
  });

  test("grow in number where all are held", async () => {
    const { ask, sockets } = world();
    for (let index = 0; index < 40; index++) void ask(`/${index}`);
    for (let index = 0; index < 40; index++) sockets[index]?.events.opened();
    expect(sockets).toHaveLength(40);
  });

  test("beyond the 25 that are kept end, the longest idle first", async () => {
    const { ask, sockets, socket } = world();
    const asked = Array.from({ length: 30 }, (_, index) => ask(`/${index}`));
    for (let index = 0; index < 30; index++) socket(index).events.opened();
    for (const one of sockets) one.answer();
    await Promise.all(asked);
    expect(sockets.filter(({ log }) => log.includes("ended"))).toEqual(sockets.slice(0, 5));
  });

  test("that send unrequested data are closed", async () => {
    const { ask, socket } = await used();
    socket(0).answer("HTTP/1.1 200 OK\r\n\r\n");
    expect(socket(0).log).toContain("ended");
    const next = ask("/next");
    socket(1).events.opened();
    socket(1).answer("HTTP/1.1 204 OK\r\n\r\nHTTP/1.1 204 OK\r\n\r\n");
    expect(await next).toBe("");
    expect(socket(1).log).toContain("ended");
  });

  test("whose request was not fully sent when the response came are not reused", async () => {
    const { ask, socket } = world();
    const refused = ask("/large", { method: "POST" });
    socket(0).events.opened();
    socket(0).flushed = false;
    socket(0).answer();
    expect(await refused).toBe("ok");
    expect(socket(0).log).toContain("ended");
  });
});

describe("a used connection that ends instead of a response", () => {
  test.each<[string, (socket: ScriptedSocket) => void]>([
    ["is reset", ({ events }) => events.closed(reset)],
    ["is closed", ({ events }) => events.closed(undefined)],
    ["is closed in the middle of a head", (socket) => [socket.answer("HTTP/1.1 200 O"), socket.events.closed(undefined)]],
    ["brings something else", (socket) => socket.answer("garbage")],
  ])("costs GET nothing but a new one: it %s", async (_, end) => {
    const { ask, socket } = await used();
    const second = ask("/second");
    socket(0).looked();
    end(socket(0));
    socket(1).events.opened();
    expect(socket(1).log).toEqual(["GET /second"]);
    socket(1).answer();
    expect(await second).toBe("ok");
  });

  test.each(["PUT", "POST", "PATCH", "DELETE"])("fails %s, which may have been done", async (method) => {
    const { ask, socket, sockets } = await used();
    const second = ask("/second", { method });
    socket(0).looked();
    socket(0).events.closed(undefined);
    await expect(second).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(sockets).toHaveLength(1);
  });

  test("is tried once", async () => {
    const { ask, socket } = await used();
    const second = ask("/second");
    socket(0).looked();
    socket(0).events.closed(reset);
    socket(1).events.opened();
    socket(1).events.closed(reset);
    await expect(second).rejects.toBe(reset);
  });

  test("is no reason to ask again once the answer has begun", async () => {
    const { ask, socket } = await used();
    const second = ask("/second");
    socket(0).looked();
    socket(0).answer("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nbeg");
    socket(0).events.closed(undefined);
    await expect(second).rejects.toMatchObject({ code: "ECONNRESET" });
  });
});

describe("what follows a response", () => {
  test("in the same bytes keeps the next call off the connection", async () => {
    const { ask, socket } = world();
    const asked = Array.from({ length: 5 }, (_, index) => ask(`/${index}`, { method: "POST" }));
    socket(0).events.opened();
    socket(0).answer("HTTP/1.1 204 OK\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nwrong");
    expect(await asked[0]).toBe("");
    socket(0).looked();
    expect(socket(0).log).toEqual(["POST /0", "ended"]);
  });

  test("moves a call that waits for a look to another connection", async () => {
    const { ask, socket } = world();
    const asked = Array.from({ length: 5 }, (_, index) => ask(`/${index}`, { method: "POST" }));
    socket(0).events.opened();
    socket(0).answer();
    socket(0).answer("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nwrong");
    socket(0).looked();
    expect(socket(0).log).toEqual(["POST /0", "ended"]);
    for (const index of [1, 2, 3, 4]) socket(index).events.opened();
    for (const index of [1, 2, 3, 4]) socket(index).answer();
    expect(await Promise.all(asked)).toEqual(Array(5).fill("ok"));
  });
});

describe("a body that lasts until the connection ends", () => {
  const begun = async () => {
    const made = world();
    const asked = made.ask("/");
    made.socket(0).events.opened();
    made.socket(0).answer("HTTP/1.1 200 OK\r\n\r\nabc");
    return { asked, ...made };
  };

  test("is complete where the server has closed it", async () => {
    const { asked, socket } = await begun();
    socket(0).events.closed(undefined);
    expect(await asked).toBe("abc");
  });

  test("is cut off where the connection was reset", async () => {
    const { asked, socket } = await begun();
    socket(0).events.closed(reset);
    await expect(asked).rejects.toBe(reset);
  });
});

describe("a connection that cannot be had", () => {
  test("fails one request, and the next one tries again", async () => {
    const { ask, socket, sockets } = world();
    const first = ask("/first");
    socket(0).events.closed(Object.assign(new Error("no"), { code: "ECONNREFUSED" }));
    await expect(first).rejects.toMatchObject({ code: "ECONNREFUSED" });
    const second = ask("/second");
    socket(1).events.opened();
    socket(1).answer();
    expect(await second).toBe("ok");
    expect(sockets).toHaveLength(2);
  });

  test("in the time of the call that waits for it keeps nobody else waiting, and serves the next call where it comes late", async () => {
    const { ask, socket, sockets } = world();
    const aborts = Array.from({ length: 5 }, () => new AbortController());
    const asked = aborts.map(({ signal }, index) => ask(`/${index}`, { signal }));
    expect(sockets).toHaveLength(4);
    aborts[0]?.abort(new Error("deadline"));
    await expect(asked[0]).rejects.toThrow("deadline");
    expect(sockets).toHaveLength(5);
    socket(4).events.opened();
    expect(socket(4).log).toEqual(["GET /1"]);
    socket(0).events.opened();
    expect(socket(0).log).toEqual(["GET /2"]);
  });

  test("is not tried again for many calls that are cancelled together", async () => {
    const { ask, socket, sockets } = world();
    const abort = new AbortController();
    const asked = Array.from({ length: 50 }, (_, index) => ask(`/${index}`, { signal: abort.signal }));
    const patient = ask("/patient");
    abort.abort(new Error("enough"));
    expect((await Promise.allSettled(asked)).every(({ status }) => status === "rejected")).toBe(true);
    expect(sockets.map(({ log }) => log)).toEqual([[], [], [], [], []]);
    socket(4).events.opened();
    socket(4).answer();
    expect(await patient).toBe("ok");
  });

  test("in anybody's time ends when there are four more like it, or when the pool is closed", async () => {
    const { ask, pool, socket, sockets } = world();
    const cancelled = async () => {
      const abort = new AbortController();
      const asked = ask("/", { signal: abort.signal });
      abort.abort(new Error("deadline"));
      await expect(asked).rejects.toThrow("deadline");
    };
    for (let index = 0; index < 5; index++) await cancelled();
    expect(sockets.map(({ log }) => log)).toEqual([["ended"], [], [], [], []]);
    pool.close();
    expect(sockets.map(({ log }) => log)).toEqual([["ended"], ["ended"], ["ended"], ["ended"], ["ended"]]);
    socket(4).events.closed(reset);
    expect(sockets).toHaveLength(5);
  });
});

test("a cancelled request closes its connection", async () => {
  const { ask, socket } = world();
  const abort = new AbortController();
  const asked = ask("/", { signal: abort.signal });
  socket(0).events.opened();
  abort.abort(new Error("enough"));
  await expect(asked).rejects.toThrow("enough");
  expect(socket(0).log).toEqual(["GET /", "ended"]);
});

test("a body that is not read pauses the socket", async () => {
  const { pool, socket } = world();
  const asked = pool.send({ method: "GET", path: "/", headers: {}, signal: new AbortController().signal });
  socket(0).events.opened();
  socket(0).answer("HTTP/1.1 200 OK\r\n\r\n");
  const response = await asked;
  for (let index = 0; index < 10; index++) socket(0).answer("x".repeat(100_000));
  expect(socket(0).log.filter((line) => line === "pause")).toHaveLength(1);
  expect((await response.read()).value).toHaveLength(100_000);
});

test("a closed pool serves waiting calls, and keeps no connection", async () => {
  const { pool, ask, socket } = world();
  const asked = ask("/");
  pool.close();
  socket(0).events.opened();
  socket(0).answer();
  expect(await asked).toBe("ok");
  expect(socket(0).log).toEqual(["GET /", "ended"]);
});
