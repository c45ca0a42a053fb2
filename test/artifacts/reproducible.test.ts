import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { programs } from "../../tools/build/programs.ts";

const root = join(import.meta.dirname, "../..");

test("the build is reproducible in any folder", () => {
  const folder = mkdtempSync(join(tmpdir(), "reproducible-"));
  try {
    const [here, elsewhere] = [join(folder, "here"), join(folder, "some/where/else")];
    copySources(root, here);
    copySources(here, elsewhere);
    const first = build(here, join(folder, "first"));
    const second = build(elsewhere, join(folder, "second"));
    expect(second).toEqual(first);
    expect(first.left).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 60_000);

/** What a build made, and what it left among the sources. */
function build(
  sources: string,
  out: string,
): { readonly files: readonly string[]; readonly sha256: readonly string[]; readonly left: readonly string[] } {
  const before = new Set(readdirSync(sources));
  const { status, stderr } = spawnSync(process.execPath, ["tools/build/build.ts", "--out", out], { cwd: sources, encoding: "utf8" });
  if (status !== 0) throw new Error(`the build failed:\n${stderr}`);
  return {
    files: readdirSync(out).sort(),
    sha256: programs.map(({ name }) =>
      createHash("sha256")
        .update(readFileSync(join(out, name)))
        .digest("hex"),
    ),
    left: readdirSync(sources).filter((name) => !before.has(name)),
  };
}

function copySources(from: string, to: string): void {
  for (const part of ["cmd", "components", "packages", "tools", "package.json", "package-lock.json", "tsconfig.json"]) {
    cpSync(join(from, part), join(to, part), { recursive: true, filter: (path) => !path.endsWith(".test.ts") });
  }
  const [theirs, ours] = [join(root, "node_modules"), join(to, "node_modules")];
  mkdirSync(join(ours, "@csi-sidecars"), { recursive: true });
  for (const name of readdirSync(theirs)) if (name !== "@csi-sidecars") symlinkSync(join(theirs, name), join(ours, name));
  // Links to the workspaces are relative: in the copy they lead into the copy.
  for (const name of readdirSync(join(theirs, "@csi-sidecars"))) {
    symlinkSync(readlinkSync(join(theirs, "@csi-sidecars", name)), join(ours, "@csi-sidecars", name));
  }
}
