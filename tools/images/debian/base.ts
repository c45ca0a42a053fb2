import { type Entry, file, folder, link } from "../archive/entry.ts";
import type { DebianTools } from "../description.ts";
import { linkClosure } from "./link-closure.ts";
import type { DebianPackage } from "./packages.ts";

/** In every image: the loader and the C library, the name of the system for scanners, certificates of authorities. */
export const basePackages: readonly string[] = ["libc6", "base-files", "ca-certificates"];

/** Users that programs may ask the name of. Any other uid works as well. */
const passwd = [
  "root:x:0:0:root:/:/sbin/nologin",
  "nobody:x:65534:65534:nobody:/:/sbin/nologin",
  "nonroot:x:65532:65532:nonroot:/:/sbin/nologin",
];
const group = ["root:x:0:", "nogroup:x:65534:", "nonroot:x:65532:"];

/** What an image has below its programs: of the packages only what these need. */
export function baseEntries(
  packages: readonly DebianPackage[],
  tools: readonly DebianTools[],
  programs: readonly Uint8Array[],
): readonly Entry[] {
  const available = packages.flatMap(({ entries }) => entries);
  return [
    ...linkClosure(available, ["usr/lib/os-release", ...tools.flatMap(({ files }) => files)], programs),
    link("etc/os-release", "../usr/lib/os-release"),
    file("etc/passwd", lines(passwd)),
    file("etc/group", lines(group)),
    // Without it the C library asks the name server before /etc/hosts.
    file("etc/nsswitch.conf", "hosts: files dns\n"),
    file("etc/ssl/certs/ca-certificates.crt", certificates(packages)),
    folder("tmp", 0o1777),
    ...packages.flatMap(packageRecords),
  ];
}

/** Debian's bundle of certificates, as its package makes it when it is installed. */
function certificates(packages: readonly DebianPackage[]): string {
  return packages
    .flatMap(({ name, entries }) => (name === "ca-certificates" ? entries : []))
    .flatMap((entry) => (entry.type === "file" && /^usr\/share\/ca-certificates\/.*\.crt$/.test(entry.path) ? [entry] : []))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ content }) => `${new TextDecoder().decode(content).trimEnd()}\n`)
    .join("");
}

/** The license of a package, and its record where scanners for vulnerabilities look. */
function packageRecords({ name, control, entries }: DebianPackage): readonly Entry[] {
  const record = file(`var/lib/dpkg/status.d/${name}`, control);
  const copyright = entries.find(({ path }) => path === `usr/share/doc/${name}/copyright`);
  return copyright?.type === "file" ? [record, copyright] : [record];
}

const lines = (all: readonly string[]) => all.map((line) => `${line}\n`).join("");
