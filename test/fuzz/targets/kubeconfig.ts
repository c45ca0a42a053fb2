import { stringify } from "yaml";
import type { ClusterConfig } from "../../../packages/kube/config/cluster-config.ts";
import { ConfigError } from "../../../packages/kube/config/config-fields.ts";
import { kubeconfigConfig } from "../../../packages/kube/config/kubeconfig.ts";
import { connect } from "../../../packages/kube/transport/connect.ts";
import { Finding, type Target } from "../engine/target.ts";
import { certificate, kubeconfig, kubeconfigTokens, secrets } from "../grammars/kubeconfig.ts";

export const kubeconfigFile: Target = {
  name: "kubeconfig",
  about: "a kubeconfig file: a configuration, or an error of one line that names the file and shows no credential",
  tokens: kubeconfigTokens,
  // The YAML library takes two seconds for 128 KiB of empty comments.
  maxBytes: 32 * 1024,
  generate: (random) => Buffer.from(random.chance(0.8) ? stringify(kubeconfig(random)) : JSON.stringify(kubeconfig(random))),
  open: () => ({
    check(input) {
      const content = Buffer.from(input).toString();
      const config = read(content);
      if (config) use(config);
    },
  }),
};

const path = "/etc/kubernetes/admin.conf";

function read(content: string): ClusterConfig | undefined {
  const contents = new Map([
    [path, content],
    ["/etc/kubernetes/ca.crt", certificate],
    ["/etc/kubernetes/token", secrets.file],
  ]);
  const files = {
    read(name: string) {
      const found = contents.get(name);
      if (found === undefined) throw Object.assign(new Error(`ENOENT: ${name}`), { code: "ENOENT" });
      return found;
    },
  };
  try {
    return kubeconfigConfig({ path, namedBy: "--kubeconfig", env: {}, files });
  } catch (error) {
    checkError(error);
    return undefined;
  }
}

/** The configuration is connected with; what an exec plugin is told of it goes through JSON. */
function use(config: ClusterConfig): void {
  JSON.stringify(config);
  try {
    connect(config, { userAgent: "fuzz", terminal: false }).close();
  } catch (error) {
    checkError(error);
  }
}

function checkError(error: unknown): void {
  if (!(error instanceof ConfigError)) throw error;
  if (!/kubeconfig|users\[\]/.test(error.message)) throw new Finding(`the error does not name the file: ${error.message}`);
  if (error.message.includes("\n")) throw new Finding(`the error has more than one line: ${error.message}`);
  if (Object.values(secrets).some((secret) => error.message.includes(secret)) && !shown.some((form) => form.test(error.message)))
    throw new Finding(`the error shows a credential: ${error.message}`);
}

/** Errors that quote a name, a version or a path, which a damaged file may have made of a credential. */
const shown = [
  /is not in (contexts|clusters|users);/,
  /there are "/,
  /to one of "/,
  /invalid apiVersion "/,
  /" is unknown;/,
  /: file not found;/,
];
