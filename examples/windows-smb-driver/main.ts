// The node driver as a program: `windows-smb-driver.exe --endpoint=unix://C:\var\lib\kubelet\plugins\smb.example.com\csi.sock --node-id=node-1`.
import { mkdirSync } from "node:fs";
import { win32 } from "node:path";
import { messageOf } from "@csi-sidecars/base";
import { parseAddress } from "@csi-sidecars/csi";
import { createCsiProxy } from "@csi-sidecars/csi-proxy";
import { startSmbDriver } from "./driver.ts";
import { lineLogger } from "./line-logger.ts";
import { readSettings, usage } from "./settings.ts";

async function main(): Promise<number> {
  const { settings, problem } = readSettings(process.argv.slice(2), process.env);
  if (problem !== undefined) {
    process.stderr.write(`windows-smb-driver: ${problem}\n${usage}`);
    return 2;
  }
  const { endpoint, nodeId, driverName, requirePrivacy, verbosity } = settings;
  const log = lineLogger((line) => process.stderr.write(line), verbosity);
  const proxy = createCsiProxy({ requirePrivacy, log });
  try {
    const target = parseAddress(endpoint);
    if (target.kind !== "unix")
      throw new Error(`--endpoint=${endpoint}: kubelet reaches drivers by sockets only; use unix://C:\\path\\csi.sock`);
    if (process.platform === "win32") mkdirSync(win32.dirname(target.path), { recursive: true });
    const driver = await startSmbDriver({ path: target.path, nodeId, driverName, proxy, log });
    log.info("Listening", { endpoint, driver: driverName, node: nodeId });
    log.info("Stopping", { signal: await endSignal() });
    await driver.stop();
    return 0;
  } catch (error) {
    log.error(error, "Cannot serve the driver");
    process.stderr.write(`windows-smb-driver: ${messageOf(error)}\n`);
    return 1;
  } finally {
    await proxy.close();
  }
}

/** On Windows these are the events of a console, which the runtime of containers sends too. */
function endSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGBREAK", "SIGHUP"] as const) process.once(signal, resolve);
  });
}

process.exit(await main());
