import { describe, expect, test } from "bun:test";
import { until } from "@csi-sidecars/base/testing";
import { ControllerDefinition, IdentityDefinition } from "../gen/csi.ts";
import { Channel } from "./channel.ts";
import { GrpcServer } from "./server.ts";
import { serviceClient } from "./service-client.ts";
import type { HandlerContext } from "./service-definition.ts";
import { Code, GrpcError } from "./status.ts";
import { type GrpcJsClient, grpcJsClient, grpcJsServer } from "./testing/grpc-js-peer.ts";
import { tempSocket } from "./testing/temp-socket.ts";

/** The driver every pair of peers is tried with; what it does is asked for by the volume's name. */
async function createVolume(name: string, signal: AbortSignal | undefined, seen: string[]): Promise<string> {
  const [verb, argument = ""] = name.split(":");
  switch (verb) {
    case "fail":
      throw new GrpcError(Number(argument), "größer 😀 als 100%\nund mehr");
    case "long":
      throw new GrpcError(Code.Internal, "x".repeat(Number(argument)));
    case "novel":
      throw new GrpcError(Code.Internal, "字".repeat(Number(argument)));
    case "throw":
      throw new Error("disk on fire");
    case "big":
      return "x".repeat(Number(argument));
    case "hang":
      seen.push("hanging");
      await new Promise<void>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
      return "";
    default:
      return `id-${name.length}`;
  }
}

interface Caller extends Disposable {
  create(name: string, options?: { timeoutMs?: number; signal?: AbortSignal }): Promise<string>;
  missing(): Promise<unknown>;
}

const ours = {
  async server(path: string, seen: string[]): Promise<AsyncDisposable> {
    const server = new GrpcServer({ maxReceiveBytes: 64 << 20 }).serve(ControllerDefinition, {
      async createVolume({ name, capacityRange }, { signal }: HandlerContext) {
        signal.addEventListener("abort", () => seen.push(`aborted: ${signal.reason.message}`));
        return { volume: { volumeId: await createVolume(name, signal, seen), capacityBytes: capacityRange?.requiredBytes ?? 0n } };
      },
    });
    await server.listen({ path });
    return { [Symbol.asyncDispose]: () => server.kill() };
  },
  client(path: string): Caller {
    const channel = new Channel({ target: { kind: "unix", path } });
    const controller = serviceClient(ControllerDefinition, channel);
    return {
      create: async (name, options) =>
        (await controller.createVolume({ name, capacityRange: { requiredBytes: 2n ** 62n } }, { waitForReady: true, ...options })).volume
          ?.volumeId ?? "",
      missing: () => controller.listVolumes({}, { waitForReady: true }),
      [Symbol.dispose]: () => channel.close(),
    };
  },
};

const grpcJs = {
  async server(path: string, seen: string[]): Promise<AsyncDisposable> {
    type Call = { request: { name: string }; on(event: string, fn: () => void): void };
    const handler = (call: Call, done: (error: unknown, answer?: object) => void) => {
      const abort = new AbortController();
      call.on("cancelled", () => {
        seen.push("aborted: by the client");
        abort.abort(new Error("cancelled"));
      });
      createVolume(call.request.name, abort.signal, seen).then(
        (volumeId) => done(null, { volume: { volumeId, capacityBytes: 0n, volumeContext: {}, accessibleTopology: [] } }),
        (error) =>
          done(error instanceof GrpcError ? { code: error.code, details: error.details } : { code: Code.Unknown, details: error.message }),
      );
    };
    return grpcJsServer(path, ControllerDefinition, { createVolume: handler });
  },
  client(path: string): Caller {
    const client: GrpcJsClient = grpcJsClient(path, ControllerDefinition);
    return {
      async create(name, { timeoutMs, signal } = {}) {
        const call = client.call("createVolume", { name }, timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs });
        signal?.addEventListener("abort", () => call.cancel());
        return ((await call) as { volume: { volumeId: string } }).volume.volumeId;
      },
      missing: () => client.call("listVolumes", {}),
      [Symbol.dispose]: () => client[Symbol.dispose](),
    };
  },
};

describe.each([
  ["our client, our server", ours, ours],
  ["our client, grpc-js server", ours, grpcJs],
  ["grpc-js client, our server", grpcJs, ours],
])("%s", (_, clientSide, serverSide) => {
  async function pair() {
    const socket = await tempSocket();
    const seen: string[] = [];
    const server = await serverSide.server(socket.path, seen);
    const client = clientSide.client(socket.path);
    return {
      client,
      seen,
      async [Symbol.asyncDispose]() {
        client[Symbol.dispose]();
        await server[Symbol.asyncDispose]();
        await socket[Symbol.asyncDispose]();
      },
    };
  }
  const failure = (call: Promise<unknown>): Promise<{ code: number; details: string }> =>
    call.then(
      () => {
        throw new Error("the call succeeded");
      },
      (error) => error,
    );

  test("an answer", async () => {
    await using world = await pair();
    expect(await world.client.create("data")).toBe("id-4");
  });

  test("every code, with a message of many alphabets", async () => {
    await using world = await pair();
    for (const code of [...Object.values(Code).filter((c) => c !== Code.OK)]) {
      expect(await failure(world.client.create(`fail:${code}`))).toMatchObject({ code, details: "größer 😀 als 100%\nund mehr" });
    }
  });

  test("a plain error is Unknown", async () => {
    await using world = await pair();
    expect(await failure(world.client.create("throw"))).toMatchObject({ code: Code.Unknown, details: "disk on fire" });
  });

  test("a status message of 4 KB", async () => {
    await using world = await pair();
    expect((await failure(world.client.create("long:4096"))).details).toHaveLength(4096);
  });

  test("a status message of a novel's length arrives as far as it can", async () => {
    await using world = await pair();
    const { code, details } = await failure(world.client.create("novel:1000000"));
    if (serverSide === ours) expect({ code, start: details.slice(0, 1_000) }).toEqual({ code: Code.Internal, start: "字".repeat(1_000) });
    else expect(code).not.toBe(Code.OK);
    expect(await world.client.create("data")).toBe("id-4");
  });

  test("a method without handler", async () => {
    await using world = await pair();
    expect(await failure(world.client.missing())).toMatchObject({ code: Code.Unimplemented });
  });

  test("10 MB each way", async () => {
    await using world = await pair();
    expect(await world.client.create("x".repeat(10 << 20))).toBe(`id-${10 << 20}`);
    expect(await world.client.create(`big:${10 << 20}`)).toHaveLength(10 << 20);
  });

  test("a deadline ends the call on both sides", async () => {
    await using world = await pair();
    await world.client.create("warm up");
    expect(await failure(world.client.create("hang", { timeoutMs: 30 }))).toMatchObject({ code: Code.DeadlineExceeded });
    await until("the handler knows", () => world.seen.some((line) => line.startsWith("aborted")));
  });

  test("cancelling ends the call on both sides", async () => {
    await using world = await pair();
    const abort = new AbortController();
    const call = failure(world.client.create("hang", { signal: abort.signal }));
    await until("the handler runs", () => world.seen.includes("hanging"));
    abort.abort();
    expect(await call).toMatchObject({ code: Code.Canceled });
    await until("the handler knows", () => world.seen.some((line) => line.startsWith("aborted")));
  });

  test("1,000 calls at once", async () => {
    await using world = await pair();
    const answers = await Promise.all(Array.from({ length: 1_000 }, (_, i) => world.client.create("v".repeat(i))));
    expect(answers).toEqual(Array.from({ length: 1_000 }, (_, i) => `id-${i}`));
  });
});

describe("our texts", () => {
  test("are Go's for what the client itself finds", async () => {
    await using socket = await tempSocket();
    const server = new GrpcServer().serve(IdentityDefinition, {
      probe: (_, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    });
    await server.listen(socket);
    const channel = new Channel({ target: { kind: "unix", path: socket.path } });
    const identity = serviceClient(IdentityDefinition, channel);
    const text = (call: Promise<unknown>) => call.then(() => "no error", String);
    const abort = new AbortController();
    const killed = text(identity.probe({}));

    expect(await text(identity.probe({}, { timeoutMs: 20 }))).toBe("rpc error: code = DeadlineExceeded desc = context deadline exceeded");
    expect(await text(identity.probe({}, { timeoutMs: 0 }))).toBe("rpc error: code = DeadlineExceeded desc = context deadline exceeded");
    expect(await text(identity.probe({}, { signal: AbortSignal.timeout(10) }))).toBe(
      "rpc error: code = DeadlineExceeded desc = context deadline exceeded",
    );
    const canceled = text(identity.probe({}, { signal: abort.signal }));
    abort.abort();
    expect(await canceled).toBe("rpc error: code = Canceled desc = context canceled");
    expect(await text(identity.probe({}, { signal: abort.signal }))).toBe("rpc error: code = Canceled desc = context canceled");
    await server.kill();
    expect(await killed).toBe("rpc error: code = Unavailable desc = error reading from server: EOF");
    await until("the next attempt fails", () => channel.state.phase === "connecting" && channel.state.lastError !== undefined);
    expect(await text(identity.probe({}))).toBe(
      `rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial unix ${socket.path}: connect: no such file or directory"`,
    );
    channel.close();
    expect(await text(identity.probe({}))).toBe("rpc error: code = Canceled desc = grpc: the client connection is closing");
  });
});
