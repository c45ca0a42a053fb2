import type { Grant } from "./generate.ts";
import { renderGrant } from "./render.ts";

export interface YamlOptions {
  readonly prefix: string;
  /** Of the service account. */
  readonly namespace: string;
  readonly serviceAccount: string;
  /** Comment lines at the top. */
  readonly about: readonly string[];
}

/** Manifests to apply as they are. */
export function renderYaml(grants: readonly Grant[], { prefix, namespace, serviceAccount, about }: YamlOptions): string {
  const spelling = {
    name: (suffix: string) => scalar(prefix + suffix),
    namespace: scalar,
    serviceAccount: scalar(serviceAccount),
    subjectNamespace: scalar(namespace),
  };
  const comments = about.map((line) => `# ${line}\n`).join("");
  return comments + grants.map((grant) => renderGrant(grant, spelling)).join("");
}

/** A name that YAML would take for something else than text gets quotes. */
function scalar(text: string): string {
  return /^[a-z][a-z0-9.-]*$/.test(text) && !/^(true|false|null|yes|no|on|off|y|n)$/.test(text) ? text : JSON.stringify(text);
}
