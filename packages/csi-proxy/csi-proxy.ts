import { type Clock, type Logger, silentLogger, systemClock } from "@csi-sidecars/base";
import { Disk } from "./disk/disk.ts";
import { windowsDiskHostApi } from "./disk/host-api.windows.ts";
import { Filesystem } from "./filesystem/filesystem.ts";
import { nodeFilesystemHostApi } from "./filesystem/host-api.node.ts";
import { windowsIscsiHostApi } from "./iscsi/host-api.windows.ts";
import { Iscsi } from "./iscsi/iscsi.ts";
import { KeyedLocks } from "./key-locks.ts";
import type { Executor } from "./powershell/executor.ts";
import { type OperationObserver, observedExecutor } from "./powershell/observed-executor.ts";
import { scriptOf } from "./powershell/scripts/script-of.ts";
import { sessionHostScript } from "./powershell/scripts/session-host-script.ts";
import { SessionExecutor } from "./powershell/session-executor.ts";
import { windowsSmbHostApi } from "./smb/host-api.windows.ts";
import { Smb } from "./smb/smb.ts";
import { windowsSystemHostApi } from "./system/host-api.windows.ts";
import { System } from "./system/system.ts";
import { windowsVolumeHostApi } from "./volume/host-api.windows.ts";
import { Volume } from "./volume/volume.ts";

export interface CsiProxyOptions {
  /** How PowerShell is run: in sessions unless told. `close()` closes it. */
  readonly executor?: Executor;
  /** Whether SMB shares are only used encrypted. True unless told. */
  readonly requirePrivacy?: boolean;
  /** The folder that stands for the drives of Windows on other platforms: `C:\data` is `<hostRoot>/C/data`. */
  readonly hostRoot?: string;
  /** Told how each PowerShell operation went, for metrics. */
  readonly observer?: OperationObserver;
  readonly log?: Logger;
  readonly clock?: Clock;
}

/** The six API groups of CSI Proxy. */
export interface CsiProxy {
  readonly disk: Disk;
  readonly volume: Volume;
  readonly filesystem: Filesystem;
  readonly smb: Smb;
  readonly iscsi: Iscsi;
  readonly system: System;
  /** Ends PowerShell once it has finished what it changes. */
  close(): Promise<void>;
}

/**
 * All groups over one executor. Nothing is started before the first call that needs PowerShell, and nothing fails here on a platform
 * other than Windows.
 *
 * ```ts
 * const { disk, volume, close } = createCsiProxy();
 * await disk.partitionDisk({ diskNumber: 2 });
 * ```
 */
export function createCsiProxy(options: CsiProxyOptions = {}): CsiProxy {
  const { requirePrivacy = true, hostRoot = "", observer, log = silentLogger, clock = systemClock } = options;
  const runner = options.executor ?? new SessionExecutor({ scripts: { scriptOf, sessionHostScript }, log, clock });
  const executor = observer ? observedExecutor(runner, observer, clock) : runner;
  const handler = { log, clock, locks: new KeyedLocks(clock) };
  const filesystem = new Filesystem(nodeFilesystemHostApi(executor, { hostRoot }), handler);
  return {
    disk: new Disk(windowsDiskHostApi(executor, { log }), handler),
    volume: new Volume(windowsVolumeHostApi(executor, { log }), handler),
    filesystem,
    smb: new Smb(windowsSmbHostApi(executor, { hostRoot }), filesystem, { ...handler, requirePrivacy }),
    iscsi: new Iscsi(windowsIscsiHostApi(executor), handler),
    system: new System(windowsSystemHostApi(executor, { clock }), handler),
    close: () => executor.close(),
  };
}
