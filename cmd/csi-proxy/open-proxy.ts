import type { Logger } from "@csi-sidecars/base";
import {
  type CsiProxy,
  createCsiProxy,
  OneShotExecutor,
  type OperationObserver,
  type PowershellOptions,
  SessionExecutor,
} from "@csi-sidecars/csi-proxy";
import type { CsiProxyFlags } from "./flags.ts";
import type { ProgramEnv } from "./program-env.ts";

/** The handlers of all groups as the flags want them. No process is started before the first call that needs one. */
export function openProxy(flags: CsiProxyFlags, { clock, env, platform }: ProgramEnv, log: Logger, observer?: OperationObserver): CsiProxy {
  const { powershell, powershellMode, powershellConcurrency, devHostRoot, requirePrivacy } = flags;
  const options: PowershellOptions = {
    ...{ clock, env, platform, log: log.named("powershell"), concurrency: powershellConcurrency },
    ...(powershell !== "" && { powershellPath: powershell }),
  };
  const isSession = powershellMode === "session" || (powershellMode === "auto" && platform === "win32");
  const executor = isSession ? new SessionExecutor(options) : new OneShotExecutor(options);
  return createCsiProxy({
    ...{ executor, log, clock, requirePrivacy, hostRoot: devHostRoot },
    ...(observer && { observer }),
  });
}
