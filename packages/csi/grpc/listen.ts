import type { Stats } from "node:fs";
import { lstat, unlink } from "node:fs/promises";
import { connect, type Server } from "node:net";
import { messageOf, systemErrorCode } from "@csi-sidecars/base";
import type { Target } from "./target.ts";

/** Where a server listens; `mode` are the permissions of the socket file. On Windows a path may be that of a named pipe. */
export type ListenAddress = { readonly path: string; readonly mode?: number } | { readonly host?: string; readonly port: number };

/**
 * Listens, and says where (a port of 0 becomes a real one). A socket file without a listener was left
 * behind by a killed process and is replaced; one with a listener is an error.
 */
export async function listenOn(server: Server, address: ListenAddress, platform: NodeJS.Platform = process.platform): Promise<Target> {
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
  if (existing && !mayBeSocket(existing, platform)) throw new Error(`cannot listen on ${path}: it exists and is not a socket`);
  if (await answers(path, platform)) throw new Error(`cannot listen on ${path}: another process listens there`);
  await removeFile(path);
  // Windows has no modes: who may open a socket is inherited from its directory.
  await started(server, () => withMode(platform === "win32" ? undefined : mode, () => server.listen(path)));
  return { kind: "unix", path };
}

/** On Windows a socket looks like an empty file, where it can be looked at at all. */
function mayBeSocket(file: Stats, platform: NodeJS.Platform): boolean {
  return file.isSocket() || (platform === "win32" && file.isFile() && file.size === 0);
}

/** Unlike `rm`, this does not look at the file first. */
async function removeFile(path: string): Promise<void> {
  await unlink(path).catch((error) => {
    if (systemErrorCode(error) !== "ENOENT") throw new Error(`cannot listen on ${path}: ${messageOf(error)}`, { cause: error });
  });
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

/** Whether a process accepts connections on a socket file. On Windows nothing else can be told from the error of one that nobody listens on. */
function answers(path: string, platform: NodeJS.Platform): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", (error: NodeJS.ErrnoException) => {
      if (platform === "win32" || error.code === "ENOENT" || error.code === "ECONNREFUSED") resolve(false);
      else reject(new Error(`cannot listen on ${path}: ${error.message}`, { cause: error }));
    });
  });
}
