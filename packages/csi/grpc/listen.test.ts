import { describe, expect, test } from "bun:test";
import { access, mkdir, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { listenOn } from "./listen.ts";
import { failureOf } from "./testing/failure.ts";
import { tempSocket } from "./testing/temp-socket.ts";

/** A server that ends with the block. */
function server(): Server & AsyncDisposable {
  const made = createServer((socket) => socket.destroy());
  return Object.assign(made, { [Symbol.asyncDispose]: () => new Promise<void>((resolve) => made.close(() => resolve())) });
}

/** What is left of a socket on Windows, as the file system shows it: an empty file that nobody answers for. */
const staleOnWindows = (path: string) => writeFile(path, "");

describe("on Windows", () => {
  test("what a killed process left behind is replaced, although it does not look like a socket", async () => {
    await using socket = await tempSocket();
    await using listener = server();
    await staleOnWindows(socket.path);
    expect(await listenOn(listener, { path: socket.path, mode: 0o600 }, "win32")).toEqual({ kind: "unix", path: socket.path });
  });

  test("the process keeps its umask, which means nothing there", async () => {
    await using socket = await tempSocket();
    await using listener = server();
    const before = process.umask();
    const asked: unknown[] = [];
    const umask = process.umask;
    process.umask = ((mask?: number) => {
      asked.push(mask);
      return before;
    }) as typeof process.umask;
    try {
      await listenOn(listener, { path: socket.path, mode: 0o600 }, "win32");
    } finally {
      process.umask = umask;
    }
    expect(asked).toEqual([]);
  });

  test("a socket with a listener is an error, and so are files with content and directories", async () => {
    await using socket = await tempSocket();
    await using first = server();
    await using second = server();
    await listenOn(first, { path: socket.path }, "win32");
    expect(String(await failureOf(listenOn(second, { path: socket.path }, "win32")))).toContain("another process listens there");
    const other = `${socket.path}-file`;
    await writeFile(other, "precious");
    expect(String(await failureOf(listenOn(second, { path: other }, "win32")))).toContain("it exists and is not a socket");
    await access(other);
    await mkdir(`${socket.path}-folder`);
    expect(String(await failureOf(listenOn(second, { path: `${socket.path}-folder` }, "win32")))).toContain("is not a socket");
  });
});

test("elsewhere an empty file is not taken for a socket", async () => {
  await using socket = await tempSocket();
  await using listener = server();
  await staleOnWindows(socket.path);
  expect(String(await failureOf(listenOn(listener, { path: socket.path }, "linux")))).toContain("it exists and is not a socket");
  await access(socket.path);
});
