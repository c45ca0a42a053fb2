import { mkdirSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Channel, type ServiceClient, serviceClient } from "@csi-sidecars/csi";
import { DiskDefinition } from "../../packages/csi-proxy/gen/disk/v1.ts";
import { FilesystemDefinition } from "../../packages/csi-proxy/gen/filesystem/v1.ts";
import { accepts } from "../shared/accepts.ts";
import type { Result } from "../shared/result.ts";
import { Sidecar } from "../shared/sidecar.ts";
import type { Workbench } from "../shared/workbench.ts";

const settleMs = 2_000;

/** Where clients may work. */
export const kubeletPath = "C:\\var\\lib\\kubelet";

/**
 * Stands in for PowerShell and answers at once, in a process for each operation or as a session: what is measured is the server, not
 * Windows.
 */
const stub = `#!/bin/sh
if [ -n "$CSI_PROXY_OP" ]; then echo '{"ok":true,"data":null}'; exit; fi
while read -r line; do
  id=\${line#*\\"id\\":}
  echo "{\\"id\\":\${id%%[,\\}]*},\\"ok\\":true,\\"data\\":null}"
done
`;

/** A csi-proxy in a process of its own, and clients of two of its groups. */
export class RunningCsiProxy implements AsyncDisposable {
  readonly disk: ServiceClient<typeof DiskDefinition>;
  readonly filesystem: ServiceClient<typeof FilesystemDefinition>;
  /** From the start of the process to the first answer. */
  readonly startMs: number;
  readonly #process: Sidecar;
  readonly #channels: readonly Channel[];

  private constructor(process: Sidecar, disk: Channel, filesystem: Channel, startMs: number) {
    this.#process = process;
    this.#channels = [disk, filesystem];
    this.disk = serviceClient(DiskDefinition, disk);
    this.filesystem = serviceClient(FilesystemDefinition, filesystem);
    this.startMs = startMs;
  }

  static async start(bench: Workbench, program: string, mode: "session" | "oneshot"): Promise<RunningCsiProxy> {
    const [sockets, drives, powershell] = [bench.path("sockets"), bench.path("drives"), bench.path("powershell")];
    for (const folder of [sockets, drives]) mkdirSync(folder, { recursive: true });
    writeFileSync(powershell, stub, { mode: 0o755 });
    const began = performance.now();
    const flags = [`--endpoint-dir=${sockets}`, `--dev-host-root=${drives}`, `--powershell=${powershell}`, `--powershell-mode=${mode}`];
    const process = new Sidecar(bench, `csi-proxy ${mode}`, program, flags);
    const path = (name: string) => `${sockets}/csi-proxy-${name}.sock`;
    while (!(await accepts(path("filesystem-v1")))) {
      process.check();
      await sleep(1);
    }
    const channel = (name: string) => new Channel({ target: { kind: "unix", path: path(name) } });
    const [disk, filesystem] = [channel("disk-v1"), channel("filesystem-v1")];
    await serviceClient(FilesystemDefinition, filesystem).pathExists({ path: kubeletPath }, { waitForReady: true, timeoutMs: 60_000 });
    return new RunningCsiProxy(process, disk, filesystem, performance.now() - began);
  }

  get cpuSeconds(): number {
    return this.#process.cpuSeconds;
  }

  /** Its memory after it has settled. */
  async memory(when: string): Promise<Result> {
    await sleep(settleMs);
    return { what: `RSS, ${when}`, value: this.#process.memory.rss / 1e6, unit: "MB" };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const channel of this.#channels) channel.close();
    await this.#process[Symbol.asyncDispose]();
  }
}
