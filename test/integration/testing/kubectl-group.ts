import { afterAll, afterEach, beforeAll, beforeEach, describe } from "bun:test";
import { type Cluster, startCluster } from "@csi-sidecars/testcluster";
import { type Kubectl, kubectlFor, kubectlMissing, kubectlPath } from "./kubectl.ts";

/** What the tests of a group share; there when the first of them begins. */
export interface KubectlWorld {
  readonly cluster: Cluster;
  readonly kubectl: Kubectl;
}

/**
 * A group of tests with a cluster and somebody at a terminal; skipped where there is no kubectl. They share the cluster, unless they begin
 * with {@link nothing}: then each of them, and each second try of one, gets an empty one.
 */
export function describeKubectl(title: string, prepare: (kubectl: Kubectl) => Promise<void>, tests: (world: KubectlWorld) => void): void {
  describe.skipIf(!kubectlPath)(`kubectl ${title}${kubectlMissing}`, () => {
    let cluster: Cluster;
    let kubectl: Kubectl;
    const [before, after] = prepare === nothing ? [beforeEach, afterEach] : [beforeAll, afterAll];
    before(async () => {
      cluster = await startCluster();
      kubectl = kubectlFor(cluster);
      await prepare(kubectl);
    });
    after(async () => {
      kubectl?.[Symbol.dispose]();
      await cluster?.[Symbol.asyncDispose]();
    });
    tests({
      get cluster() {
        return cluster;
      },
      get kubectl() {
        return kubectl;
      },
    });
  });
}

/** For groups that begin with an empty cluster. */
export const nothing = async () => {};
