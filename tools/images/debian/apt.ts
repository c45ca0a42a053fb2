import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * APT for one architecture, with the machine's sources and keys, but with lists and settings of its own below `folder`: nothing of the machine is
 * changed, and no root is needed.
 */
export class Apt {
  readonly #config: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor(folder: string, architecture: string, env: NodeJS.ProcessEnv) {
    const state = join(folder, architecture);
    for (const each of ["state/lists/partial", "cache/archives/partial"]) mkdirSync(join(state, each), { recursive: true });
    writeFileSync(join(state, "status"), "");
    this.#config = join(state, "apt.conf");
    const settings = {
      "Dir::State": join(state, "state"),
      "Dir::State::status": join(state, "status"),
      "Dir::Cache": join(state, "cache"),
      "APT::Architecture": architecture,
      "APT::Sandbox::User": "",
      "Acquire::Languages": "none",
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} "${value}";\n`);
    writeFileSync(this.#config, `#clear APT::Architectures;\n${lines.join("")}APT::Architectures { "${architecture}"; };\n`);
    this.#env = env;
  }

  /** Fetches the lists of packages. A source that does not answer is left out. */
  update(): void {
    this.#run("apt-get", ["update", "--quiet", "--quiet"]);
  }

  /** The newest version that the sources have, and its description. */
  newest(name: string): { readonly version: string; readonly source: string; readonly sha256: string } | undefined {
    const { status, stdout } = this.#run("apt-cache", ["show", "--no-all-versions", name]);
    if (status !== 0) return undefined;
    const field = (key: string) => new RegExp(`^${key}: (\\S+)`, "m").exec(stdout)?.[1];
    const [version, sha256] = [field("Version"), field("SHA256")];
    return version && sha256 ? { version, source: field("Source") ?? name, sha256 } : undefined;
  }

  /** Downloads a version of a package into a folder; returns why not. */
  download(name: string, version: string, folder: string): string | undefined {
    const { status, stderr } = this.#run("apt-get", ["download", "--quiet", "--quiet", `${name}=${version}`], folder);
    return status === 0 ? undefined : stderr.trim();
  }

  #run(program: string, args: readonly string[], cwd?: string) {
    const result = spawnSync(program, args, { cwd, encoding: "utf8", env: { ...this.#env, APT_CONFIG: this.#config, LC_ALL: "C" } });
    if (result.error) {
      throw new Error(
        `${program} could not be run (${result.error.message}): the images' base comes from Debian's packages; build them on Debian`,
      );
    }
    return result;
  }
}
