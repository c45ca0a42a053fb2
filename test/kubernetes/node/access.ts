import { generateKeyPairSync, randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { kubeconfigFor } from "../../../packages/testcluster/apiserver/access/kubeconfig.ts";
import { apiServerUrl, nodeName } from "./addresses.ts";
import type { NodeFiles } from "./files.ts";

/** The keys and tokens of the API server's users. */
export interface Access {
  readonly tokensFile: string;
  readonly serviceAccountKey: string;
  readonly serviceAccountPublicKey: string;
  /** Writes the kubeconfig of a user and returns its name; possible once the API server has made its certificate. */
  kubeconfig(user: "admin" | "node"): string;
}

export function makeAccess(files: NodeFiles): Access {
  const tokens = { admin: randomUUID(), node: randomUUID() };
  const tokensFile = files.file("tokens.csv");
  const lines = [`${tokens.admin},admin,admin,system:masters`, `${tokens.node},system:node:${nodeName},${nodeName},system:nodes`];
  writeFileSync(tokensFile, `${lines.join("\n")}\n`, { mode: 0o600 });
  const [serviceAccountKey, serviceAccountPublicKey] = [files.file("service-account.key"), files.file("service-account.pub")];
  const pair = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
  });
  writeFileSync(serviceAccountKey, pair.privateKey, { mode: 0o600 });
  writeFileSync(serviceAccountPublicKey, pair.publicKey);
  return {
    tokensFile,
    serviceAccountKey,
    serviceAccountPublicKey,
    kubeconfig(user) {
      const file = files.file(`${user}.kubeconfig`);
      const ca = readFileSync(`${files.folder("apiserver-certificates")}/apiserver.crt`, "utf8");
      writeFileSync(file, kubeconfigFor(apiServerUrl, ca, { token: tokens[user] }), { mode: 0o600 });
      return file;
    },
  };
}
