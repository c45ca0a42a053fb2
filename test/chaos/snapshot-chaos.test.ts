import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { seededRandom } from "@csi-sidecars/base/testing";
import { presets, startRelay } from "@csi-sidecars/testcluster";
import { binary } from "../e2e/testing/binary.ts";
import { inParallel } from "../e2e/testing/objects.ts";
import { SidecarProcess } from "../e2e/testing/sidecar-process.ts";
import { type Account, rolesFor, startE2eWorld } from "../e2e/testing/world.ts";
import { randomSeed } from "../random-seed.ts";
import { disturb } from "./disturbances.ts";
import { History } from "./resize/history.ts";
import { addSources, claimsPerGroup } from "./snapshot/claims.ts";
import { unsettled } from "./snapshot/settled.ts";
import { scriptDriver } from "./snapshot/storage.ts";
import { SnapshotUser } from "./snapshot/users.ts";
import { SupervisedSidecar } from "./supervised-sidecar.ts";

const seed = randomSeed();
/** `SNAPSHOTS=300 GROUP_SNAPSHOTS=30 KILLS=20 CUT_MS=5000` runs for minutes. */
const setting = (name: string, defaultValue: number) => Number(process.env[name] ?? defaultValue);
const snapshots = setting("SNAPSHOTS", 30);
const groups = setting("GROUP_SNAPSHOTS", 4);
const kills = setting("KILLS", 6);
const cutMs = setting("CUT_MS", 1_000);
const spanMs = Math.max(12_000, kills * 2_000, snapshots * 150);
const settleMs = 60_000 + snapshots * 200;

test(
  `seed ${seed}: ${snapshots} snapshots and ${groups} groups come and go while both processes are killed, responses get lost and the API server is away: contents and storage agree`,
  async () => {
    await using world = await startE2eWorld({
      cluster: { own: true },
      driver: { capabilities: presets.full, snapshotsReady: { afterAnswers: 2 } },
    });
    const random = seededRandom(seed);
    const storage = scriptDriver(world.driver, random);
    await addSources(world, groups);
    const user = (name: string, isGroup: boolean, source: number) => new SnapshotUser(world, random, { name, isGroup, source });
    const users = [
      ...Array.from({ length: snapshots }, (_, i) => user(`snapshot-${i}`, false, i % (groups * claimsPerGroup))),
      ...Array.from({ length: groups }, (_, i) => user(`group-${i}`, true, i * claimsPerGroup)),
    ];

    await using api = await startRelay(world.cluster.url);
    const throughRelay = ({ name, kubeconfig }: Account) => {
      const path = join(world.folder, `${name}.relayed`);
      writeFileSync(path, readFileSync(kubeconfig, "utf8").replaceAll(world.cluster.url, api.address), { mode: 0o600 });
      return path;
    };
    const accounts = { sidecar: await world.account(rolesFor("snapshotter")), controller: await world.account(controllerRoles) };
    const kubeconfigs = { sidecar: throughRelay(accounts.sidecar), controller: throughRelay(accounts.controller) };
    const common = ["--leader-election=false", "--kube-api-qps=-1", "--retry-interval-start=200ms", "--retry-interval-max=3s"];
    await using sidecar = new SupervisedSidecar(
      () =>
        new SidecarProcess("sidecar", [
          ...["--controllers=snapshotter", `--kubeconfig=${kubeconfigs.sidecar}`, `--csi-address=${world.driver.address}`, "--timeout=1s"],
          ...common,
        ]),
    );
    await using controller = new SupervisedSidecar(
      () => new SidecarProcess("controller", [`--kubeconfig=${kubeconfigs.controller}`, ...common], { program: "snapshot-controller" }),
    );

    const history = new History();
    const either = { kill: () => (random() < 0.5 ? sidecar : controller).kill() };
    await Promise.all([
      ...users.map((each) => each.act(spanMs)),
      disturb({ world, api, sidecar: either, history, random }, { spanMs, kills, cuts: 3, cutMs }),
    ]);
    storage.calm();
    expect(await unsettled(world, users, history, settleMs)).toEqual([]);

    // What is left goes too; only what users wanted to keep stays in the storage.
    await inParallel(
      users.filter(({ isDeleted }) => !isDeleted),
      (each) => each.delete(),
    );
    const gone = users.map((each) => Object.assign(Object.create(each), { isDeleted: true }));
    expect(await unsettled(world, gone, history, settleMs)).toEqual([]);
    const kept = users.filter(({ isDeleted, policy }) => !isDeleted && policy === "Retain");
    expect(world.driver.snapshots.size).toBeGreaterThanOrEqual(kept.length);

    for (const { name } of Object.values(accounts)) {
      const refused = (await world.cluster.requests({ user: name })).filter(({ code }) => code === 422 || code === 400);
      expect(withoutConflicts(refused.map(({ code, verb, path }) => `${code} ${verb} ${path}`))).toEqual([]);
    }
    expect(await sidecar.stop()).toBe(0);
    expect(await controller.stop()).toBe(0);
  },
  { timeout: 2 * spanMs + 2 * settleMs + 120_000, retry: 0 },
);

/** A JSON patch whose `test` fails because somebody else wrote meanwhile is a 422 too, and planned anew: that ends after a few times. */
function withoutConflicts(refused: readonly string[]): readonly string[] {
  const times = Object.groupBy(refused, (request) => request);
  return refused.filter((request) => !request.startsWith("422 patch ") || (times[request]?.length ?? 0) > 4);
}

function controllerRoles(user: string): string {
  return Bun.spawnSync([binary("snapshot-controller"), "rbac", `--name-prefix=${user}`]).stdout.toString();
}
