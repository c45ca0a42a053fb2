import { createHash } from "node:crypto";
import { targets } from "../build/runtime.ts";
import { createdAt } from "../records/created-at.ts";
import { npmMaterials } from "../records/npm-packages.ts";
import { spdxDocument } from "../records/spdx.ts";

interface SbomInput {
  readonly tag: string;
  readonly commit: string;
  /** Of the commit, in seconds. */
  readonly time: number;
  readonly license: string;
  readonly lockfile: string;
}

/** What the programs of all platforms are made of: this repository, the runtime of each platform, and the packages that ship. */
export function sbom({ tag, commit, time, license, lockfile }: SbomInput): object {
  const unique = createHash("sha256").update(`${commit}\n${lockfile}`).digest("hex");
  return spdxDocument(
    {
      id: "SPDXRef-csi-sidecars",
      name: "csi-sidecars",
      version: tag,
      license,
      namespace: `urn:csi-sidecars:spdx:programs:${tag}:${unique}`,
      created: createdAt(time),
      tool: "tools/release",
      more: { sourceInfo: `commit ${commit}` },
    },
    npmMaterials(lockfile, targets),
  );
}
