import { existsSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { chartsFolder } from "../../../tools/generate-deploy/chart-files.ts";
import type { Manifest } from "../../../tools/generate-deploy/manifests.ts";
import { helmPath } from "../../../tools/helm/location.ts";

const program = helmPath(process.env);

/** Why there is nothing to test with; empty if there is. */
export const helmIsMissing = existsSync(program)
  ? ""
  : ` (skipped: no ${program}; run \`npm run helm:build\`, which needs Go, or set HELM to the program)`;

export interface HelmOutcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The namespace of every release here. */
export const releaseNamespace = "storage";

/** Copies of the charts, each with the library chart in place. */
export class Charts implements AsyncDisposable {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async copy(): Promise<Charts> {
    const folder = await mkdtemp(join(tmpdir(), "charts-"));
    await cp(chartsFolder, folder, {
      recursive: true,
      filter: (path) => !path.startsWith(chartsFolder) || !/\/(charts\/[^/]+\/charts|Chart\.lock)$/.test(path),
    });
    for (const chart of ["csi-hostpath", "example-driver", "snapshot-controller"]) {
      await cp(join(folder, "csi-sidecars"), join(folder, chart, "charts/csi-sidecars"), { recursive: true });
    }
    return new Charts(folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true });
  }

  /** Runs helm in the folder of the charts; `values` is its standard input, for `--values=-`. */
  async helm(args: readonly string[], values: object = {}): Promise<HelmOutcome> {
    const env = { PATH: process.env.PATH, HELM_CACHE_HOME: this.folder, HELM_CONFIG_HOME: this.folder, HELM_DATA_HOME: this.folder };
    const run = Bun.spawn([program, ...args], {
      cwd: this.folder,
      env,
      stdin: new Blob([JSON.stringify(values)]),
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr, exitCode] = await Promise.all([run.stdout.text(), run.stderr.text(), run.exited]);
    return { exitCode, stdout, stderr };
  }

  template(chart: string, values: object): Promise<HelmOutcome> {
    return this.helm(["template", "release", `./${chart}`, `--namespace=${releaseNamespace}`, "--values=-"], values);
  }

  /** What a chart makes of values. */
  async render(chart: string, values: object): Promise<readonly Manifest[]> {
    const { exitCode, stdout, stderr } = await this.template(chart, values);
    if (exitCode !== 0) throw new Error(`helm template ${chart}: ${stderr}`);
    return parseAllDocuments(stdout)
      .map((document): Manifest | null => {
        if (document.errors.length > 0) throw new Error(`helm template ${chart}: ${document.errors}\n${stdout}`);
        return document.toJS();
      })
      .filter((manifest) => manifest !== null);
  }
}
