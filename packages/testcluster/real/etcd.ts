import { join } from "node:path";
import { onFreePorts } from "./free-port.ts";
import { type ProcessWatch, type Program, startProgram, waitForUrl } from "./process.ts";

export interface Etcd {
  readonly url: string;
  /** Drops the history, as etcd does by itself after some minutes. */
  compact(): Promise<void>;
  /** Every key of kube-apiserver, with the revision that created it: one that was deleted and created again is another one. */
  keys(): Promise<readonly StoredKey[]>;
  /** Deletes keys directly; watches of kube-apiserver show it as any deletion. */
  delete(keys: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

export interface StoredKey {
  readonly key: string;
  readonly created: string;
}

/** As many operations as etcd takes in one transaction. */
const transactionSize = 128;

interface EtcdOptions {
  readonly watch?: ProcessWatch;
  readonly signal?: AbortSignal;
}

/** Starts etcd with its data and its log in the folder; data that is there is used again. */
export function startEtcd(assets: string, folder: string, options: EtcdOptions = {}): Promise<Etcd> {
  return onFreePorts(2, (clientPort, peerPort) => startEtcdOn(clientPort, peerPort, assets, folder, options));
}

async function startEtcdOn(
  clientPort: number,
  peerPort: number,
  assets: string,
  folder: string,
  { watch, signal }: EtcdOptions,
): Promise<Etcd> {
  const url = `http://127.0.0.1:${clientPort}`;
  const peer = `http://127.0.0.1:${peerPort}`;
  const program: Program = startProgram(
    "etcd",
    join(assets, "etcd"),
    [
      `--data-dir=${join(folder, "etcd")}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
      "--unsafe-no-fsync",
      "--log-level=warn",
    ],
    join(folder, "etcd.log"),
    watch,
  );
  try {
    await Promise.race([waitForUrl(`${url}/health`, { signal }), program.failed]);
  } catch (error) {
    await program.stop("SIGKILL");
    throw error;
  }
  return {
    url,
    async compact() {
      const { header } = (await post(`${url}/v3/kv/range`, { key: btoa("/") })) as { header: { revision: string } };
      await post(`${url}/v3/kv/compaction`, { revision: header.revision, physical: true });
    },
    async keys() {
      const range = { key: btoa("/registry/"), range_end: btoa("/registry0"), keys_only: true };
      const { kvs = [] } = (await post(`${url}/v3/kv/range`, range)) as { kvs?: { key: string; create_revision: string }[] };
      return kvs.map(({ key, create_revision: created }) => ({ key: atob(key), created }));
    },
    async delete(keys) {
      for (let from = 0; from < keys.length; from += transactionSize) {
        const success = keys.slice(from, from + transactionSize).map((key) => ({ request_delete_range: { key: btoa(key) } }));
        await post(`${url}/v3/kv/txn`, { success });
      }
    },
    stop: () => program.stop("SIGKILL"),
  };
}

async function post(url: string, body: object): Promise<unknown> {
  const answer = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`etcd ${url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}
