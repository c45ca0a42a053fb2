// Runs the programs for Windows under Wine: `npm run test:windows`. Wine is not Windows: docs/windows.md says what only a real machine can show.
// `--install` installs what is missing, where Debian's packages can be installed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "@csi-sidecars/base";
import { buildRing } from "./build-ring.ts";
import { install, missingPackages } from "./packages.ts";
import { programsOf } from "./testing/ring.ts";
import { closeWine, keepWineRunning } from "./testing/wine.ts";

const asked = process.argv.slice(2);
const failure = asked.includes("--install") ? install(missingPackages()) : undefined;
const missing = missingPackages();
if (failure !== undefined || missing.length > 0) {
  const how = `${missing.join(", ")} of Debian 12 for amd64 must be installed; as root, npm run test:windows -- --install does that`;
  console.log(`test:windows: every test is skipped: ${failure ?? how}`);
  process.exit(await runTests({}));
}

const folder = mkdtempSync(join(tmpdir(), "windows-ring-"));
const prefix = join(folder, "prefix");
let status = 1;
try {
  await buildRing(folder, prefix);
  // It waits for requests that never come.
  keepWineRunning(prefix, join(programsOf(folder), "powershell.exe"));
  status = await runTests({ WINDOWS_RING: folder });
} catch (error) {
  console.error(`test:windows: ${messageOf(error)}`);
} finally {
  closeWine(prefix);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
process.exit(status);

/** Runs the tests, or those of the command line, and returns their exit code. Without a ring all are skipped. */
async function runTests(env: Readonly<Record<string, string>>): Promise<number> {
  const args = asked.filter((arg) => arg !== "--install");
  const files = args.some((arg) => !arg.startsWith("-")) ? [] : ["./test/windows"];
  const cwd = join(import.meta.dirname, "../..");
  const run = spawn(process.execPath, ["test", "--timeout", "60000", ...args, ...files], {
    cwd,
    stdio: "inherit",
    env: { ...process.env, ...env },
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => run.kill(signal));
  const [code] = await once(run, "exit");
  return code ?? 1;
}
