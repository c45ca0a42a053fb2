import { statSync } from "node:fs";
import { connect } from "node:net";
import { resolve } from "node:path";
import { messageOf, systemErrorCode } from "@csi-sidecars/base";
import { Refusal } from "../refusal.ts";

/** The absolute path of a socket that somebody listens on; what is wrong with it otherwise. */
export async function checkSocket(given: string, signal: AbortSignal): Promise<string> {
  if (/^(tcp|dns):/.test(given) || /^[^/]+:\d+$/.test(given))
    throw new Refusal(`--driver takes the path of a Unix socket, not ${JSON.stringify(given)}`);
  const path = resolve(given.replace(/^unix:(\/\/)?/, ""));
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new Refusal(`--driver: there is no ${path}; start your driver first, or give the path of its socket`);
  if (!found.isSocket()) throw new Refusal(`--driver: ${path} is a ${found.isDirectory() ? "folder" : "file"}, not a socket`);
  await listener(path, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    if (systemErrorCode(error) === "ECONNREFUSED") throw new Refusal(`--driver: nobody listens on ${path}; is your driver running?`);
    throw new Refusal(`--driver: cannot connect to ${path} (${systemErrorCode(error) ?? messageOf(error)})`);
  });
  return path;
}

function listener(path: string, signal: AbortSignal): Promise<void> {
  return new Promise((done, failed) => {
    const socket = connect({ path, signal });
    socket.once("error", failed);
    socket.once("connect", () => {
      socket.destroy();
      done();
    });
  });
}
