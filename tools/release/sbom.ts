import { createHash } from "node:crypto";
import { isRecord } from "@csi-sidecars/base";
import { shippedPackages } from "./dependencies.ts";

interface SbomInput {
  readonly tag: string;
  readonly commit: string;
  /** Of the commit, in seconds. */
  readonly time: number;
  readonly license: string;
  readonly lockfile: string;
}

/** What the programs are made of, as an SPDX 2.3 document: this repository, the packages in package-lock.json that ship, and the runtime. */
export function sbom({ tag, commit, time, license, lockfile }: SbomInput): string {
  const { packages: locked } = JSON.parse(lockfile);
  const root = {
    SPDXID: "SPDXRef-csi-sidecars",
    name: "csi-sidecars",
    versionInfo: tag,
    licenseDeclared: license,
    sourceInfo: `commit ${commit}`,
  };
  const packages = [...shippedPackages(lockfile)].map(([name, version]) =>
    packageOf(name, version, isRecord(locked) ? locked[`node_modules/${name}`] : {}),
  );
  const document = {
    spdxVersion: "SPDX-2.3",
    dataLicense: "CC0-1.0",
    SPDXID: "SPDXRef-DOCUMENT",
    name: `csi-sidecars-${tag}`,
    documentNamespace: `https://spdx.org/spdxdocs/csi-sidecars-${tag}-${createHash("sha256").update(`${commit}\n${lockfile}`).digest("hex").slice(0, 32)}`,
    creationInfo: { created: new Date(time * 1000).toISOString().replace(/\.\d+Z$/, "Z"), creators: ["Tool: csi-sidecars-release"] },
    packages: [root, ...packages].map((each) => ({ ...unknown, ...each })),
    relationships: [
      { spdxElementId: "SPDXRef-DOCUMENT", relationshipType: "DESCRIBES", relatedSpdxElement: root.SPDXID },
      ...packages.map(({ SPDXID }) => ({ spdxElementId: root.SPDXID, relationshipType: "CONTAINS", relatedSpdxElement: SPDXID })),
    ],
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

const unknown = { downloadLocation: "NOASSERTION", filesAnalyzed: false, licenseConcluded: "NOASSERTION", copyrightText: "NOASSERTION" };

function packageOf(name: string, version: string, entry: unknown) {
  const { license, integrity } = isRecord(entry) ? entry : {};
  const sha512 = /^sha512-(.+)$/.exec(String(integrity))?.[1];
  return {
    SPDXID: `SPDXRef-npm-${name.replace(/[^A-Za-z0-9.-]/g, "-")}`,
    name,
    versionInfo: version,
    licenseDeclared: typeof license === "string" ? license : "NOASSERTION",
    ...(sha512 && { checksums: [{ algorithm: "SHA512", checksumValue: Buffer.from(sha512, "base64").toString("hex") }] }),
    externalRefs: [
      {
        referenceCategory: "PACKAGE-MANAGER",
        referenceType: "purl",
        referenceLocator: `pkg:npm/${name.replace(/^@/, "%40")}@${version}`,
      },
    ],
  };
}
