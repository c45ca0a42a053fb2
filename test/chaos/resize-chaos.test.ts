import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "@csi-sidecars/base";
import { seededRandom } from "@csi-sidecars/base/testing";
import { presets, startRelay } from "@csi-sidecars/testcluster";
import { inParallel } from "../e2e/testing/objects.ts";
import { SidecarProcess } from "../e2e/testing/sidecar-process.ts";
import { rolesFor, startE2eWorld, type World } from "../e2e/testing/world.ts";
import { randomSeed } from "../random-seed.ts";
import { disturb } from "./disturbances.ts";
import { checkCalls } from "./resize/call-rules.ts";
import { CapacityHistory } from "./resize/capacity-history.ts";
import { addAttributesClass, addClasses, claimOfVolume } from "./resize/claims.ts";
import { History } from "./resize/history.ts";
import { Pods } from "./resize/pods.ts";
import { unsettled } from "./resize/settled.ts";
import { bytes, scriptDriver, sizes, tiers } from "./resize/storage.ts";
import { ClaimUser } from "./resize/users.ts";
import { SupervisedSidecar } from "./supervised-sidecar.ts";

const seed = randomSeed();
/** `CLAIMS=500 KILLS=20 CUT_MS=5000` runs for minutes. */
const setting = (name: string, defaultValue: number) => Number(process.env[name] ?? defaultValue);
const claims = setting("CLAIMS", 40);
const kills = setting("KILLS", 4);
const cutMs = setting("CUT_MS", 1_000);
const spanMs = Math.max(12_000, kills * 2_000, claims * 80);
const settleMs = 60_000 + claims * 200;
/** The longer the more claims are refused: their calls must leave room for others. */
const retry = { startMs: 200, maxMs: Math.max(3_000, claims * 40) };

test(
  `seed ${seed}: ${claims} claims grow and are modified while the process is killed, responses get lost and the API server is away: all agree`,
  async () => {
    const names = Array.from({ length: kills + 1 }, (_, i) => `life-${i + 1}`);
    await using world = await startE2eWorld({
      cluster: { own: true },
      driver: { capabilities: expanding, maximumVolumeBytes: bytes(sizes.largest), callers: names },
    });
    const random = seededRandom(seed);
    const history = new History();
    await using pods = new Pods(world, history, random);
    const storage = scriptDriver(world.driver, random, pods.isInUse);
    await addClasses(world);
    await pods.start();
    const users = Array.from({ length: claims }, (_, i) => new ClaimUser(`data-${i}`, { world, history, pods, random }));
    await inParallel(users, (user) => user.begin());
    await using capacities = new CapacityHistory(world);

    const account = await world.account(rolesFor("resizer"));
    await using api = await startRelay(world.cluster.url);
    const kubeconfig = join(world.folder, "resizer.kubeconfig");
    writeFileSync(kubeconfig, readFileSync(account.kubeconfig, "utf8").replaceAll(world.cluster.url, api.address), { mode: 0o600 });
    let lives = 0;
    await using sidecar = new SupervisedSidecar(() => startLife(world, names[lives++], kubeconfig));

    await Promise.all([
      ...users.map((user) => user.actAtRandom(spanMs)),
      disturb({ world, api, sidecar, history, random }, { spanMs, kills, cuts: 3, cutMs }),
      systemClock.sleep(spanMs * 0.6).then(() => history.reason("class", undefined, () => addAttributesClass(world, tiers.late))),
    ]);
    // Nobody does anything: what is called now is called because of the backoff alone.
    await systemClock.sleep(5_000 + 1.5 * retry.maxMs);
    storage.calm();
    pods.mayFail = false;
    await inParallel(users, ({ name }) => pods.end(name));
    await inParallel(users, (user) => user.settle());
    const settling = performance.now();
    const left = await unsettled(world, users, pods, settleMs);
    const settledMs = performance.now() - settling;

    const { broken, delayed } = checkCalls({ ...history, calls: world.driver.calls(), claimOf: claimOfVolume, retry });
    const { refused, requests } = await refusals(world, account.name, users, history);
    report(world, users, { delayed, states: capacities.seen, requests, settledMs });
    for (const problem of broken) console.log(problem);
    expect(left).toEqual([]);
    expect(broken).toEqual([]);
    expect(delayed).toBeGreaterThan(0);
    expect(capacities.wrong).toEqual([]);
    expect(pods.senseless).toEqual([]);
    expect(refused).toEqual([]);
    expect(await sidecar.stop()).toBe(0);
    expect(lives).toBe(kills + 1);
  },
  { timeout: 2 * spanMs + 2 * retry.maxMs + settleMs + 120_000, retry: 0 },
);

const expanding = {
  ...presets.minimal,
  expansion: ["ONLINE", "OFFLINE"],
  controller: ["EXPAND_VOLUME", "MODIFY_VOLUME"],
  node: ["EXPAND_VOLUME"],
} as const;

/** A process whose calls the driver knows by its name. */
function startLife({ driver }: World, name = "unexpected", kubeconfig: string): SidecarProcess {
  return new SidecarProcess(name, [
    "--controllers=resizer",
    "--leader-election=false",
    `--kubeconfig=${kubeconfig}`,
    `--csi-address=${driver.addressOf(name)}`,
    "--kube-api-qps=-1",
    "--timeout=1s",
    `--retry-interval-start=${retry.startMs}ms`,
    `--retry-interval-max=${retry.maxMs}ms`,
  ]);
}

/**
 * The requests of the process that the API server refused for another reason than a conflict, or a claim that was deleted meanwhile. A
 * server that has just started does not know all roles yet.
 */
async function refusals({ cluster }: World, user: string, users: readonly ClaimUser[], { outages }: History) {
  const requests = await cluster.requests({ user });
  const recreated = new Set(users.filter(({ done }) => done.includes("recreated")).map(({ name }) => name));
  const refused = requests.filter(({ code, resource, name, at }) => {
    const time = at - performance.timeOrigin;
    // The first report of an event may have been lost in an outage: the next one finds none, and creates it.
    const isGone = code === 404 && (resource === "events" || (resource === "persistentvolumeclaims" && recreated.has(name)));
    const isStarting = code === 403 && outages.some(({ from, to }) => time >= from && time <= to + 1_000);
    return code >= 400 && code < 500 && code !== 409 && !isGone && !isStarting;
  });
  return { refused: refused.map(({ code, verb, path }) => `${code} ${verb} ${path}`), requests };
}

interface Numbers {
  readonly delayed: number;
  readonly states: number;
  readonly requests: readonly { readonly code: number }[];
  readonly settledMs: number;
}

function report({ driver }: World, users: readonly ClaimUser[], { delayed, states, requests, settledMs }: Numbers): void {
  const tally = (all: readonly string[]) =>
    [...Map.groupBy(all, (each) => each)].map(([each, { length }]) => `${each} ${length}`).join(", ");
  const calls = driver.calls().filter(({ method }) => method.startsWith("ControllerExpand") || method.startsWith("ControllerModify"));
  console.log(`calls: ${tally(calls.map(({ method }) => method))}, of which ${delayed} had to wait for a failure before them`);
  console.log(`ended: ${tally(calls.map(({ outcome }) => (outcome?.kind === "failed" ? outcome.code : (outcome?.kind ?? "never"))))}`);
  console.log(`users: ${tally(users.flatMap(({ done }) => done))}; ${states} states of claims seen`);
  console.log(`requests: ${tally(requests.map(({ code }) => String(code)))}; settled after ${settledMs.toFixed()} ms`);
}
