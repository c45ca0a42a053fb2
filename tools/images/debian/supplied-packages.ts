import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../build/checksums.ts";
import type { LockedPackage } from "./lock.ts";

/** The variable that names where packages come from that APT no longer has: folders and base URLs, separated by spaces. */
export const suppliedVariable = "CSI_SIDECARS_DEBIAN";

export interface WantedPackage extends LockedPackage {
  readonly name: string;
  readonly architecture: string;
}

/** The .deb file of a locked package from the first of the places that has it; `undefined` if none has. The caller compares the checksum. */
export async function suppliedPackage(places: string | undefined, wanted: WantedPackage): Promise<Uint8Array | undefined> {
  for (const place of (places ?? "").split(/\s+/).filter(Boolean)) {
    const deb = /^https?:\/\//.test(place) ? await fromArchive(place.replace(/\/+$/, ""), wanted) : fromFolder(place, wanted);
    if (deb) return deb;
  }
  return undefined;
}

/** Called after their checksum or their package, as `apt-get download` does. */
function fromFolder(folder: string, { name, sha256: sum }: WantedPackage): Uint8Array | undefined {
  if (!existsSync(folder)) throw new Error(`${suppliedVariable}: there is no folder ${folder}`);
  const files = readdirSync(folder).filter((file) => file === `${sum}.deb` || (file.startsWith(`${name}_`) && file.endsWith(".deb")));
  const found = files.map((file) => join(folder, file)).find((file) => sha256(file) === sum);
  return found === undefined ? undefined : readFileSync(found);
}

/** Below the URL are files called after their checksums, or the folders of an archive of Debian or of its security updates. */
async function fromArchive(
  base: string,
  { name, architecture, version, source, sha256: sum }: WantedPackage,
): Promise<Uint8Array | undefined> {
  const prefix = source.startsWith("lib") ? source.slice(0, 4) : source.slice(0, 1);
  const inPool = `main/${prefix}/${source}/${name}_${version.replace(/^\d+:/, "")}_${architecture}.deb`;
  const inAllPool = inPool.replace(/[^_]+\.deb$/, "all.deb");
  for (const path of [`${sum}.deb`, ...[inPool, inAllPool].flatMap((file) => [`pool/${file}`, `pool/updates/${file}`])]) {
    const response = await fetch(`${base}/${path}`);
    if (response.ok) return response.bytes();
    if (response.status !== 404) throw new Error(`${suppliedVariable}: ${base}/${path} answers ${response.status}`);
  }
  return undefined;
}
