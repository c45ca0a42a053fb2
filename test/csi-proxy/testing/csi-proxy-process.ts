import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServiceDefinition } from "@csi-sidecars/csi";
import { type GrpcJsClient, grpcJsClient } from "../../../packages/csi/grpc/testing/grpc-js-peer.ts";
import { binary } from "../../e2e/testing/binary.ts";
import { until } from "../../e2e/testing/until.ts";
import { RunningProgram } from "../../running-program.ts";
import { StubFolder } from "./stub-folder.ts";

/** Folders for a csi-proxy: its sockets, the drives of its node, and a program that stands in for PowerShell. */
export class CsiProxyFolders extends StubFolder {
  readonly sockets = join(this.path, "sockets");
  readonly drives = join(this.path, "drives");
  readonly powershell = join(this.path, "powershell");

  constructor() {
    super(mkdtempSync(join(tmpdir(), "csi-proxy-e2e-")));
    mkdirSync(this.sockets);
    mkdirSync(join(this.drives, "C/var/lib/kubelet"), { recursive: true });
    writeFileSync(this.powershell, stub(this.path));
    chmodSync(this.powershell, 0o755);
  }

  get flags(): readonly string[] {
    return [`--endpoint-dir=${this.sockets}`, `--dev-host-root=${this.drives}`, `--powershell=${this.powershell}`];
  }

  socket(group: string, version: string): string {
    return join(this.sockets, `csi-proxy-${group}-${version}.sock`);
  }

  client(group: string, version: string, service: ServiceDefinition): GrpcJsClient {
    return grpcJsClient(this.socket(group, version), service);
  }
}

/** Ends with its folder, whatever happens to whoever started it. */
const stub = (folder: string) => `#!/bin/sh
printf '%s\\0' "$@" > ${folder}/arguments-$$
env -0 > ${folder}/environment-$$
echo "$CSI_PROXY_OP" >> ${folder}/operations
while [ ! -e ${folder}/gate ]; do
  [ -d ${folder} ] || exit 99
  sleep 0.02
done
if [ -e "${folder}/answer-$CSI_PROXY_OP" ]; then cat "${folder}/answer-$CSI_PROXY_OP"; echo; else echo '{"ok":true,"data":null}'; fi
echo "$CSI_PROXY_OP" >> ${folder}/ended
`;

/** The built program, once it serves. */
export async function startCsiProxy(folders: CsiProxyFolders, ...args: readonly string[]): Promise<RunningProgram> {
  const program = new RunningProgram(binary("csi-proxy"), [...folders.flags, ...args], { env: {} });
  await until("csi-proxy serves", () => {
    if (!program.running) throw new Error(`csi-proxy ended:\n${program.output}`);
    return program.output.includes("] Serving ");
  });
  return program;
}
