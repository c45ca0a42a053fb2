/**
 * Calls one method of the filesystem group, as a driver does, and prints what it answers as a line of JSON. The call is JSON in the variable
 * `WINDOWS_CHECK_CALL`, which no shell reads. `tools/windows-check.ps1` runs this while a volume is mounted.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Channel, serviceClient } from "../packages/csi/index.ts";
import { FilesystemDefinition } from "../packages/csi-proxy/gen/filesystem/v1.ts";
import { CsiProxyError, createCsiProxy, OneShotExecutor } from "../packages/csi-proxy/index.ts";

interface FileCall {
  readonly method: string;
  readonly request: object;
  /** The PowerShell that the library runs. */
  readonly powershell: string;
  /** Stands for the drives of Windows elsewhere. */
  readonly hostRoot?: string;
  /** A csi-proxy that is started, and asked instead of the library. */
  readonly server?: { readonly command: readonly string[]; readonly endpoint: string };
}

async function askLibrary({ method, request, powershell, hostRoot = "" }: FileCall): Promise<unknown> {
  const proxy = createCsiProxy({ executor: new OneShotExecutor({ powershellPath: powershell }), hostRoot });
  try {
    return await callMethod(proxy.filesystem, method, request);
  } finally {
    await proxy.close();
  }
}

async function askServer({ method, request }: FileCall, { command, endpoint }: Required<FileCall>["server"]): Promise<unknown> {
  const [program = "", ...flags] = command;
  const server = spawn(program, flags, { stdio: ["ignore", "ignore", "pipe"] });
  await once(server, "spawn");
  const ended = once(server, "close");
  try {
    const log = createInterface({ input: server.stderr });
    const serves = new Promise<void>((resolve) => log.on("line", (line) => line.includes("] Serving ") && resolve()));
    const tooEarly = ended.then(([code]) => Promise.reject(new Error(`csi-proxy ended with code ${code}`)));
    await Promise.race([serves, tooEarly]);
    const channel = new Channel({ target: { kind: "unix", path: endpoint } });
    return await callMethod(serviceClient(FilesystemDefinition, channel), method, request).finally(() => channel.close());
  } finally {
    server.kill();
    await ended;
  }
}

function callMethod(group: object, method: string, request: object): Promise<unknown> {
  const call: unknown = Reflect.get(group, method);
  if (typeof call !== "function") throw new Error(`there is no method ${method}`);
  return call.call(group, request);
}

const fileCall: FileCall = JSON.parse(process.env.WINDOWS_CHECK_CALL ?? "{}");
const reply = await (fileCall.server ? askServer(fileCall, fileCall.server) : askLibrary(fileCall)).then(
  (data) => ({ ok: true, data }),
  (error: unknown) => ({ ok: false, error: { code: error instanceof CsiProxyError ? error.code : "", message: String(error) } }),
);
// PowerShell reads it in the code page of the console.
console.log(JSON.stringify(reply).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`));
