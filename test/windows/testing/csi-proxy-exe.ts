import { pipePath } from "../../../packages/csi-proxy/server/endpoint.ts";
import { encode, type Field } from "../../../packages/csi-proxy/server/testing/wire-fields.ts";
import { type CallResult, ClientProgram } from "../../csi-proxy/testing/client-program.ts";
import { until } from "../../e2e/testing/until.ts";
import type { RunningProgram } from "../../running-program.ts";
import { startWindowsProgram, type WindowsFolder } from "./ring.ts";

/** csi-proxy.exe, once it serves; its kubelet's folder is that of the test. */
export async function startCsiProxyExe(
  folder: WindowsFolder,
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<RunningProgram> {
  const own = [`--kubelet-path=${folder.windowsPath}`, `--powershell=${folder.powershell}`];
  const program = startWindowsProgram("csi-proxy.exe", [...own, ...flags], env);
  await until("csi-proxy.exe serves", () => {
    if (!program.running) throw new Error(`csi-proxy.exe ended:\n${program.output}`);
    return /] Serving /.test(program.output);
  });
  return program;
}

/** The client in TypeScript, which needs nothing that is not here. */
export const startClient = () => ClientProgram.start((address) => startWindowsProgram("bun.exe", ["ts-client.js", address]));

export const pipe = (group: string, version: string) => pipePath({ group, version } as Parameters<typeof pipePath>[0]);

/** Calls a method of the API's version 1, such as `Disk/Rescan`. */
export function callV1(client: ClientProgram, method: string, request: readonly Field[] = [], timeoutMs?: number): Promise<CallResult> {
  const [service = ""] = method.split("/");
  return client.call(pipe(service.toLowerCase(), "v1"), `/v1.${method}`, encode(request), timeoutMs);
}
