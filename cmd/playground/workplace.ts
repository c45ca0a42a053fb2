import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { ApiServer, ApiServerOptions } from "@csi-sidecars/testcluster";
import { Refusal } from "./options.ts";

/** The folders of one run. */
export interface Workplace extends Disposable {
  /** Sockets, logs and credentials of this run: removed at the end. */
  readonly folder: string;
  /** Where the driver keeps volumes. */
  readonly volumes: string;
  /** For whoever plays. */
  readonly kubeconfig: string;
  /** What the API server continues from. */
  readonly kept: Pick<ApiServerOptions, "dataFile" | "authority" | "adminToken">;
  /** Notes what kubeconfigs of this run depend on, for the next run. */
  keep(server: Pick<ApiServer, "authority" | "adminToken">): void;
}

export function openWorkplace(state: string | undefined): Workplace {
  const keeping = state === undefined ? undefined : openState(resolve(state));
  const folder = mkdtempSync(join(tmpdir(), "csi-playground-"));
  const home = keeping ?? folder;
  const credentials = join(home, "credentials.json");
  return {
    folder,
    volumes: join(home, "volumes"),
    kubeconfig: join(home, "kubeconfig"),
    kept: keeping === undefined ? {} : { dataFile: join(home, "cluster.json"), ...readCredentials(credentials) },
    keep({ authority, adminToken }) {
      if (keeping === undefined) return;
      writeFileSync(credentials, JSON.stringify({ authority, adminToken }), { mode: 0o600 });
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function openState(folder: string): string {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return folder;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : error;
    throw new Refusal(`--state: cannot write to ${folder} (${code}); give a folder that is yours`);
  }
}

function readCredentials(file: string): Pick<ApiServerOptions, "authority" | "adminToken"> {
  if (!existsSync(file)) return {};
  try {
    const { authority, adminToken }: Required<Pick<ApiServerOptions, "authority" | "adminToken">> = JSON.parse(readFileSync(file, "utf8"));
    return { authority, adminToken };
  } catch {
    throw new Refusal(`${file} cannot be read: remove it, and kubeconfigs of earlier runs with it`);
  }
}
