import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { programsIn } from "./program-images.ts";

test("only a folder's programs become images, and links to them", () => {
  const folder = mkdtempSync(join(tmpdir(), "programs-"));
  try {
    writeFileSync(join(folder, "csi-attacher"), "", { mode: 0o755 });
    symlinkSync("csi-attacher", join(folder, "csi-resizer"));
    writeFileSync(join(folder, "README"), "");
    mkdirSync(join(folder, "old"));
    expect(programsIn(folder).sort()).toEqual(["csi-attacher", "csi-resizer"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
