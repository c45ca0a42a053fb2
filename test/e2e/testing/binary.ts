import { spawnSync } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "../../..");
let built = false;

/** The path of a shipped program, built from the present sources once in a test run. */
export function binary(name = "csi-sidecars"): string {
  if (!built) {
    const { status, stderr } = spawnSync(process.execPath, ["tools/build/build.ts"], { cwd: root, encoding: "utf8" });
    if (status !== 0) throw new Error(`npm run build failed:\n${stderr}`);
    built = true;
  }
  return join(root, "dist", name);
}
