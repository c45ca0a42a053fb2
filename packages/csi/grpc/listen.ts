import { lstat, rm } from "node:fs/promises";
import { connect, type Server } from "node:net";
import type { Target } from "./target.ts";

/** Where a server listens; `mode` are the permissions of the socket file. On Windows a path may be that of a named pipe. */
export type ListenAddress = { readonly path: string; readonly mode?: number } | { readonly host?: string; readonly port: number };

/**
 * Listens, and says where (a port of 0 becomes a real one). A socket file without a listener was left
 * behind by a killed process and is replaced; one with a listener is an error.
 */
export async function listenOn(server: Server, address: ListenAddress): Promise<Target> {
  if (!("path" in address)) {
    const host = address.host ?? "127.0.0.1";
    await started(server, () => server.listen(address.port, host));
    const bound = server.address();
    return { kind: "tcp", host, port: typeof bound === "object" && bound ? bound.port : address.port };
  }
  const { path, mode } = address;
  if (isNamedPipe(path)) {
    await started(server, () => server.listen(path));
    return { kind: "unix", path };
  }
  const existing = await lstat(path).catch(() => undefined);
  if (existing && !existing.isSocket()) throw new Error(`cannot listen on ${path}: it exists and is not a socket`);
  if (await answers(path)) throw new Error(`cannot listen on ${path}: another process listens there`);
  await rm(path, { force: true });
  await started(server, () => withMode(mode, () => server.listen(path)));
  return { kind: "unix", path };
}

/** A named pipe ends with its process: it leaves no file that could be in the way. */
const isNamedPipe = (path: string) => /^\\\\[.?]\\pipe\\/i.test(path);

/** Whatever is created meanwhile has the permissions from its first moment. */
function withMode(mode: number | undefined, create: () => void): void {
  const before = mode === undefined ? undefined : process.umask(0o777 & ~mode);
  try {
    create();
  } finally {
    if (before !== undefined) process.umask(before);
  }
}

function started(server: Server, listen: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.once("listening", () => {
      server.off("error", reject);
      resolve();
    });
    listen();
  });
}

/** Whether a process accepts connections on a socket file. */
function answers(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ECONNREFUSED") resolve(false);
      else reject(new Error(`cannot listen on ${path}: ${error.message}`, { cause: error }));
    });
  });
}
