import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { sha256 } from "../../build/checksums.ts";
import type { Entry } from "../archive/entry.ts";
import { readTar } from "../archive/read-tar.ts";
import { Apt } from "./apt.ts";
import { type Lock, type LockedPackage, readLock } from "./lock.ts";
import { suppliedPackage, suppliedVariable, type WantedPackage } from "./supplied-packages.ts";

/** A package, unpacked. */
export interface DebianPackage extends LockedPackage {
  readonly name: string;
  readonly architecture: string;
  /** Its description, as dpkg keeps it. */
  readonly control: string;
  readonly entries: readonly Entry[];
}

/** Nobody has the locked version any more. */
export class PackageUnavailable extends Error {}

/** The locked packages; each is fetched once, verified, and kept in the user's cache. */
export class LockedPackages {
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #lock: Lock;

  constructor(env: NodeJS.ProcessEnv, lock = readLock()) {
    this.#folder = cacheFolder(env);
    this.#env = env;
    this.#lock = lock;
  }

  async get(name: string, architecture: string): Promise<DebianPackage> {
    const locked = this.#lock[architecture]?.[name];
    if (!locked)
      throw new Error(`tools/images/debian/packages.lock.json has no ${name} for ${architecture}: run npm run images -- --update`);
    const deb = await this.#fetch({ ...locked, name, architecture });
    const part = (what: "--fsys-tarfile" | "--ctrl-tarfile") => {
      const { status, stdout, stderr, error } = spawnSync("dpkg-deb", [what, deb], { maxBuffer: 1 << 30 });
      if (status !== 0) throw new Error(`dpkg-deb ${what} ${deb} failed: ${error?.message ?? stderr.toString()}`);
      return readTar(stdout);
    };
    const control = part("--ctrl-tarfile").find(({ path }) => path === "control");
    if (control?.type !== "file") throw new Error(`${deb} has no control file`);
    return { ...locked, name, architecture, control: new TextDecoder().decode(control.content), entries: part("--fsys-tarfile") };
  }

  async #fetch(wanted: WantedPackage): Promise<string> {
    const kept = join(this.#folder, `${wanted.sha256}.deb`);
    if (existsSync(kept)) return kept;
    mkdirSync(this.#folder, { recursive: true });
    const fresh = mkdtempSync(join(this.#folder, "fetch-"));
    try {
      const supplied = await suppliedPackage(this.#env[suppliedVariable], wanted);
      if (supplied) writeFileSync(join(fresh, `${wanted.name}.deb`), supplied);
      else this.#download(wanted, fresh);
      const [deb = ""] = readdirSync(fresh);
      const found = sha256(join(fresh, deb));
      if (found !== wanted.sha256) throw new Error(`${deb} has the SHA-256 ${found}, but the lock has ${wanted.sha256}`);
      renameSync(join(fresh, deb), kept);
      return kept;
    } finally {
      rmSync(fresh, { recursive: true, force: true });
    }
  }

  #download({ name, version, architecture }: WantedPackage, folder: string): void {
    const apt = new Apt(this.#folder, architecture, this.#env);
    let failed = apt.download(name, version, folder);
    if (failed !== undefined) {
      apt.update();
      failed = apt.download(name, version, folder);
    }
    if (failed === undefined && readdirSync(folder).length > 0) return;
    const message = missing(name, version, architecture, failed ?? "nothing was downloaded");
    throw /was not found|Unable to locate/.test(failed ?? "") ? new PackageUnavailable(message) : new Error(message);
  }
}

export const cacheFolder = (env: NodeJS.ProcessEnv) => join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "csi-sidecars", "debian");

const missing = (name: string, version: string, architecture: string, why: string) =>
  `APT has no ${name} ${version} for ${architecture} (${why}). If Debian has replaced it, run npm run images -- --update and commit the lock; to build ` +
  `a commit as it is, name in ${suppliedVariable} a folder or an archive that still has it; ` +
  "on another system, build the images on Debian 12.";
