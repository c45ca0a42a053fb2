import { describe, expect, test } from "bun:test";
import { GrpcServer, IdentityDefinition } from "@csi-sidecars/csi";
import { callHeaders, fieldAt, indexedLiteral, RawClient } from "../../packages/csi/grpc/testing/raw-http2-client.ts";
import { frame, type HeaderList, headerBlock } from "../../packages/csi/grpc/testing/raw-http2-server.ts";
import { tempSocket } from "../../packages/csi/grpc/testing/temp-socket.ts";

async function probed(anyAuthority: boolean) {
  const socket = await tempSocket();
  const server = new GrpcServer({ anyAuthority }).serve(IdentityDefinition, { probe: () => ({ ready: true }) });
  await server.listen(socket);
  return {
    path: socket.path,
    async [Symbol.asyncDispose]() {
      await server.kill();
      await socket[Symbol.asyncDispose]();
    },
  };
}

const probe = (...more: HeaderList): HeaderList => [[":authority", "localhost"], ...callHeaders("/csi.v1.Identity/Probe", ...more)];

describe.each([
  ["as HTTP/2 has it", false],
  ["of any authority", true],
])("the headers of a request %s", (_, anyAuthority) => {
  test("may have 16 KiB, and more cost the one call", async () => {
    await using server = await probed(anyAuthority);
    await using client = await RawClient.connect(server.path);
    expect(await client.call(1, probe(["large", "x".repeat(15_000)]))).toBe("0");
    expect(await client.call(3, probe(["large", "x".repeat(20_000)]))).toStartWith("reset ");
    expect(await client.call(5, probe())).toBe("0");
  });

  test("that are a hundred times larger than they were sent end the connection after some calls, not the others", async () => {
    await using server = await probed(anyAuthority);
    await using neighbour = await RawClient.connect(server.path);
    await using client = await RawClient.connect(server.path);
    expect(await neighbour.call(1, probe())).toBe("0");
    const first = Buffer.concat([headerBlock(probe()), indexedLiteral("a", "b".repeat(4_000))]);
    client.raw.send(frame.headers, frame.endHeaders, 1, first);
    expect(await client.finish(1)).toBe("0");
    const blownUp = Buffer.concat([headerBlock(probe()), ...Array.from({ length: 15 }, () => fieldAt(62))]);
    for (let call = 1; call < 5_000; call++) client.raw.send(frame.headers, frame.endHeaders | frame.endStream, 1 + 2 * call, blownUp);
    await client.untilClosed();
    expect(await neighbour.call(3, probe())).toBe("0");
  });
});
