import { type Environment, type Files, systemFiles } from "./files.ts";
import { serviceAccountDirectory } from "./in-cluster.ts";

/** The namespace this process runs in: `POD_NAMESPACE`, else that of the pod's service account, else `default`. */
export function namespaceOf(env: Environment, files: Files = systemFiles, directory: string = serviceAccountDirectory): string {
  return env.POD_NAMESPACE || readTrimmed(files, `${directory}/namespace`) || "default";
}

function readTrimmed(files: Files, path: string): string | undefined {
  try {
    return files.read(path).trim();
  } catch {
    return undefined;
  }
}
