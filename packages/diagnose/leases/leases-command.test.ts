import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, systemClock } from "@csi-sidecars/base";
import { component, type SidecarProgram } from "@csi-sidecars/host";
import { ignoreNotFound, Lease, mergePatch, microTime } from "@csi-sidecars/kube";
import { type Cluster, startCluster } from "@csi-sidecars/testcluster";
import { mover, allInOne as program } from "../testing/programs.ts";
import { leasesCommand } from "./leases-command.ts";

const namespace = "default";
const legacy = (name: string, prefix: string) =>
  component({ ...mover, name, standalone: `csi-${name}`, legacyLease: (driver: string) => `${prefix}${driver}` });
const allInOne: SidecarProgram = {
  ...program,
  components: [legacy("mover", "old-mover-"), legacy("maker", ""), legacy("helper", "old-helper-")],
};
const ours = "csi-sidecars-driver-example-com";

interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly renewTime?: string;
}
const ago = (seconds: number) => microTime(Date.now() - seconds * 1000);

async function withLeases(leases: Readonly<Record<string, LeaseSpec>>, marker: string | undefined, work: (world: World) => Promise<void>) {
  await using cluster = await startCluster();
  const annotations: Record<string, string> =
    marker === undefined ? {} : { "migration.csi.k8s.io/status": "completed", "migration.csi.k8s.io/controllers": marker };
  await cluster.admin.create(Lease, {
    metadata: { namespace, name: ours, annotations },
    spec: { holderIdentity: "new-pod", leaseDurationSeconds: 15, renewTime: ago(1) },
  });
  for (const [name, spec] of Object.entries(leases)) await cluster.admin.create(Lease, { metadata: { namespace, name }, spec });
  const world = worldOf(cluster);
  try {
    await work(world);
  } finally {
    rmSync(world.folder, { recursive: true });
  }
}

type World = ReturnType<typeof worldOf>;

function worldOf(cluster: Cluster) {
  const folder = mkdtempSync(join(tmpdir(), "leases-"));
  const clean = async (
    flags: readonly string[] = ["--yes"],
    options: { ask?: (question: string) => Promise<boolean>; token?: string; word?: string; clock?: Clock } = {},
  ) => {
    const kubeconfig = join(folder, "kubeconfig");
    writeFileSync(kubeconfig, cluster.kubeconfig(options.token ?? cluster.adminToken));
    let said = "";
    const write = (text: string) => {
      said += text;
    };
    const sink = { write };
    const environment = { env: {}, clock: options.clock ?? systemClock, stdout: sink, stderr: sink } as never;
    const result = await leasesCommand(
      [options.word ?? "clean", `--namespace=${namespace}`, `--kubeconfig=${kubeconfig}`, ...flags],
      program,
      environment,
      { allInOne, ask: options.ask },
    );
    return { exitCode: result.exitCode, text: said + result.stdout + result.stderr };
  };
  const left = async () =>
    (await cluster.admin.list(Lease, { namespace })).items
      .map(({ metadata }) => metadata?.name ?? "")
      .filter((name) => name !== ours)
      .toSorted();
  return { cluster, clean, left, folder };
}

describe("csi-sidecars leases clean", () => {
  test("removes the leases of migrated controllers that nobody holds, and no others", async () => {
    const leases = {
      "old-mover-driver-example-com": { holderIdentity: "" },
      "driver-example-com": {},
      "old-helper-driver-example-com": {},
      "old-mover-other": {},
    };
    await withLeases(leases, "maker,mover", async ({ clean, left }) => {
      const { exitCode, text } = await clean();
      expect([exitCode, text]).toEqual([0, expect.stringContaining("old-mover-driver-example-com  csi-mover  remove  nobody holds it")]);
      expect(await left()).toEqual(["old-helper-driver-example-com", "old-mover-other"]);
      expect((await clean()).exitCode).toBe(3);
    });
  });

  test("what a living sidecar holds stays, and what seems expired is looked at twice", async () => {
    const leases = {
      "old-mover-driver-example-com": { holderIdentity: "old-pod", leaseDurationSeconds: 15, renewTime: ago(2) },
      "driver-example-com": { holderIdentity: "dead-pod", leaseDurationSeconds: 1, renewTime: ago(600) },
      "old-helper-driver-example-com": { holderIdentity: "slow-clock", leaseDurationSeconds: 1, renewTime: ago(600) },
    };
    await withLeases(leases, "helper,maker,mover", async ({ clean, left, cluster }) => {
      const renewing = setInterval(() => {
        void cluster.admin.patch(
          Lease,
          { namespace, name: "old-helper-driver-example-com" },
          mergePatch({ spec: { renewTime: ago(590) } }),
        );
      }, 100);
      const { exitCode, text } = await clean().finally(() => clearInterval(renewing));
      expect(exitCode).toBe(1);
      expect(text).toContain("csi-mover   stays   held by old-pod");
      expect(text).toContain("csi-maker   remove  expired; last held by dead-pod");
      expect(text).toContain("csi-helper  stays   held by slow-clock, which is alive");
      expect(await left()).toEqual(["old-helper-driver-example-com", "old-mover-driver-example-com"]);
    });
  });

  test("what may be renewed less often than anybody watches stays", async () => {
    const leases = {
      "old-mover-driver-example-com": { holderIdentity: "patient", leaseDurationSeconds: 3600, renewTime: ago(3700) },
      "driver-example-com": { holderIdentity: "dead-pod", leaseDurationSeconds: 300, renewTime: ago(600) },
    };
    await withLeases(leases, "maker,mover", async ({ clean, left }) => {
      const watched: number[] = [];
      const sleep = async (ms: number) => void watched.push(ms);
      const { text } = await clean(["--yes"], { clock: { ...systemClock, sleep } });
      expect(watched).toEqual([300_000]);
      expect(text).toContain("csi-mover  stays   last held by patient for 3600 s at a time");
      expect(text).toContain("csi-maker  remove  expired; last held by dead-pod");
      expect(await left()).toEqual(["old-mover-driver-example-com"]);
    });
  });

  test("what csi-sidecars left behind when it was killed is removed", async () => {
    const seized = { holderIdentity: `pod_csi-sidecars_${ours}_abc`, leaseDurationSeconds: 1, renewTime: ago(600) };
    await withLeases({ "old-mover-driver-example-com": seized }, "mover", async ({ clean, left }) => {
      expect((await clean()).exitCode).toBe(0);
      expect(await left()).toEqual([]);
    });
  });

  test("asks first; without a terminal it needs --yes", async () => {
    await withLeases({ "old-mover-driver-example-com": {} }, "mover", async ({ clean, left }) => {
      const questions: string[] = [];
      const ask = async (question: string) => questions.push(question) > 1;
      expect((await clean([], { ask })).text).toContain("nothing was removed");
      expect(await left()).toHaveLength(1);
      expect((await clean([])).text).toContain("there is no terminal to ask at");
      expect((await clean([], { ask })).exitCode).toBe(0);
      expect(questions).toEqual(["Remove this lease? [y/N] ", "Remove this lease? [y/N] "]);
      expect(await left()).toEqual([]);
    });
  });

  test("who takes a lease while the question is open keeps it", async () => {
    const name = "old-mover-driver-example-com";
    await withLeases({ [name]: {} }, "mover", async ({ clean, left, cluster }) => {
      const ask = async () => {
        await cluster.admin.patch(Lease, { namespace, name }, mergePatch({ spec: { holderIdentity: "rolled-back" } }));
        return true;
      };
      const { exitCode, text } = await clean([], { ask });
      expect([exitCode, text]).toEqual([1, expect.stringContaining(`${name} changed meanwhile, and stays`)]);
      expect(await left()).toEqual([name]);
    });
  });

  test("without the marker nothing was migrated, and nothing is removed", async () => {
    await withLeases({ "old-mover-driver-example-com": {} }, undefined, async ({ clean, left }) => {
      expect((await clean()).exitCode).toBe(3);
      expect(await left()).toHaveLength(1);
    });
  });

  test("a lease with a name of its own does not tell its driver", async () => {
    await withLeases({ "old-mover-driver-example-com": {} }, undefined, async ({ clean, cluster, left }) => {
      const annotations = { "migration.csi.k8s.io/status": "completed", "migration.csi.k8s.io/controllers": "mover" };
      await cluster.admin.create(Lease, { metadata: { namespace, name: "mine", annotations } });
      expect((await clean()).text).toContain("default/mine does not tell its driver");
      expect((await clean(["--yes", "--driver=driver.example.com", "--leader-election-lease-name=mine"])).exitCode).toBe(0);
      expect(await left()).toEqual(["mine"]);
      expect(await ignoreNotFound(cluster.admin.get(Lease, { namespace, name: "old-mover-driver-example-com" }))).toBeUndefined();
    });
  });

  test("says which permission is missing, and which word", async () => {
    await withLeases({}, "mover", async ({ clean, cluster }) => {
      const { token } = cluster.newUser();
      const { exitCode, text } = await clean(["--yes"], { token });
      expect([exitCode, text]).toEqual([2, expect.stringContaining("RBAC missing: list on leases.coordination.k8s.io in default")]);
      expect(await clean([], { word: "list" })).toEqual({ exitCode: 2, text: "leases needs one word: csi-sidecars leases clean\n" });
    });
  });
});
