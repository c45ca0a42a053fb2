import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock, until } from "@csi-sidecars/base/testing";
import { type ComponentContext, component, duration, kubeApiFlags, type Running, sidecarFlagNames, text } from "@csi-sidecars/host";
import { fields, Lease, StorageClass } from "@csi-sidecars/kube";
import { type Cluster, type CrashPoint, type ScriptedDriver, startCluster, startComponent, startScriptedDriver } from "../index.ts";

const flags = {
  ...kubeApiFlags,
  timeout: duration("10s", "Limit of a call."),
  extra: text("", "A flag that upstream's program does not have.", { individual: false }),
};
type Context = ComponentContext<typeof flags>;

const classFields = fields(StorageClass, { parameters: true });

/** Knows all classes, and runs until it is told to stop. */
async function followClasses({ informers, signal }: Context): Promise<Running> {
  await informers.forFields(classFields).waitForSync(signal);
  return { done: new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true })) };
}

function testComponent(start: (context: Context) => Promise<Running> = followClasses, name = "classifier") {
  return component({
    name,
    standalone: `csi-${name}`,
    onByDefault: true,
    flags,
    processFlags: sidecarFlagNames,
    leadership: "required",
    kube: true,
    driver: "ready",
    legacyLease: (driver) => `${name}-${driver}`,
    rbac: () => ({
      cluster: [{ apiGroups: ["storage.k8s.io"], resources: ["storageclasses"], verbs: ["get", "list", "watch", "create"] }],
      namespaced: [],
    }),
    start,
  });
}

const storageClass = (name: string) => ({ metadata: { name }, provisioner: "example.com", parameters: { of: name } });

async function world(): Promise<{ cluster: Cluster; driver: ScriptedDriver } & AsyncDisposable> {
  const cluster = await startCluster();
  const driver = await startScriptedDriver({ capabilities: "minimal" });
  return {
    ...{ cluster, driver },
    async [Symbol.asyncDispose]() {
      await driver[Symbol.asyncDispose]();
      await cluster[Symbol.asyncDispose]();
    },
  };
}

test.each([
  ["values", { timeout: 150, extra: "more", kubeApiQps: -1, v: 3 }],
  ["a command line", ["--timeout=150ms", "--extra=more", "--kube-api-qps=-1", "-v=3"]],
])("flags are %s", async (_, given) => {
  await using parts = await world();
  let seen: Context["flags"] | undefined;
  const descriptor = testComponent((context) => {
    seen = context.flags;
    return followClasses(context);
  });
  await using run = await startComponent(descriptor, { ...parts, flags: given });
  expect(seen).toMatchObject({ timeout: 150, extra: "more", kubeApiQps: -1 });
  expect(run.output()).toContain("Controller state changed");
});

test("it may do what its descriptor declares, its requests are known, and its caches are frozen", async () => {
  await using parts = await world();
  await parts.cluster.admin.create(StorageClass, storageClass("known"));
  const problems: string[] = [];
  const descriptor = testComponent(async (context) => {
    const { kube, informers, signal } = context;
    const classes = informers.forFields(classFields);
    await classes.waitForSync(signal);
    await kube.create(StorageClass, storageClass("made"));
    await kube.delete(StorageClass, { name: "known" }).catch((error) => problems.push(String(error)));
    try {
      Object.assign(classes.get("known")?.parameters ?? {}, { of: "changed" });
    } catch (error) {
      problems.push(String(error));
    }
    return followClasses(context);
  });
  await using run = await startComponent(descriptor, parts);
  const single = (await run.requests()).filter(({ verb }) => verb !== "list" && verb !== "watch");
  expect(single.map(({ verb, code }) => `${verb} ${code}`)).toEqual(["create 201", "delete 403"]);
  expect(problems).toEqual([expect.stringContaining("forbidden"), expect.stringContaining("readonly property")]);
});

test("a start that fails rejects with its error", async () => {
  await using parts = await world();
  const failing = testComponent(async () => {
    throw new RangeError("not today");
  });
  await expect(startComponent(failing, parts)).rejects.toThrow(new RangeError("not today"));
});

test("log lines of every verbosity are values, and metrics are those of a scrape", async () => {
  await using parts = await world();
  const descriptor = testComponent((context) => {
    context.log.v(5).info("Detail", { of: "it" });
    return followClasses(context);
  });
  await using run = await startComponent(descriptor, parts);
  expect(run.log.lines).toContainEqual(expect.objectContaining({ message: "Detail", level: 5, fields: { of: "it" } }));
  expect(run.output()).not.toContain("Detail");
  expect(await run.metrics()).toContain('csi_sidecars_controller_running{controller="classifier"} 1');
});

test("after restart() it runs again in the same process, and keeps what must not be forgotten", async () => {
  await using parts = await world();
  const kept: string[][] = [];
  const descriptor = testComponent(async (context) => {
    await context.driver.capabilities.plugin();
    const memory = context.keep<string[]>(() => []);
    memory.push("run");
    kept.push([...memory]);
    return followClasses(context);
  });
  await using run = await startComponent(descriptor, parts);
  await run.restart();
  expect(kept).toEqual([["run"], ["run", "run"]]);
  expect(run.starts).toBe(2);
});

/** Creates one class after the other, and finishes the one it is at when it is told to stop. */
const createClasses = testComponent(async ({ kube, signal, clock }) => {
  const work = async () => {
    for (let n = 1; !signal.aborted; n++) {
      await kube.create(StorageClass, storageClass(`class-${n}`));
      await clock.sleep(1);
    }
    await kube.create(StorageClass, storageClass("last"));
  };
  return { done: work() };
});

const classNames = async ({ admin }: Cluster) => (await admin.list(StorageClass)).items.map(({ metadata }) => metadata?.name);
const unlimited = { kubeApiQps: -1, kubeApiBurst: 0 };

test("stop() lets work in flight end", async () => {
  await using parts = await world();
  await using run = await startComponent(createClasses, { ...parts, flags: unlimited });
  await until("some classes", async () => (await classNames(parts.cluster)).length > 2);
  expect(await run.stop()).toBe(0);
  expect(await classNames(parts.cluster)).toContain("last");
});

test("kill() does not, and nothing reaches the server afterwards", async () => {
  await using parts = await world();
  await using run = await startComponent(createClasses, { ...parts, flags: unlimited });
  await until("some classes", async () => (await classNames(parts.cluster)).length > 2);
  await run.kill();
  expect(run.dead).toBe(true);
  const left = await classNames(parts.cluster);
  expect(left).not.toContain("last");
  await Bun.sleep(20);
  expect(await classNames(parts.cluster)).toEqual(left);
});

test.each([["before", 2] as const, ["after", 3] as const])("it crashes %s a step", async (when, created) => {
  await using parts = await world();
  const crashPoint: CrashPoint = { nth: 3, when, steps: [] };
  await using run = await startComponent(createClasses, { ...parts, flags: unlimited, crashPoint });
  await until("the crash", () => run.dead);
  expect(crashPoint.steps).toEqual(Array(3).fill("create storageclasses"));
  expect((await classNames(parts.cluster)).filter((name) => name?.startsWith("class-"))).toHaveLength(created);
});

test("every client can be wrapped, by its name", async () => {
  await using parts = await world();
  const names = new Set<string>();
  const refusing = testComponent(async (context) => {
    await context.kubeFor("side", { qps: 1, burst: 1 }).create(StorageClass, storageClass("side"));
    await expect(context.kube.create(StorageClass, storageClass("main"))).rejects.toThrow("refused by the test");
    return followClasses(context);
  });
  await using _ = await startComponent(refusing, {
    ...parts,
    wrapClient(client, { name }) {
      names.add(name);
      return name === "classifier" ? { ...client, create: () => Promise.reject(new Error("refused by the test")) } : client;
    },
  });
  expect([...names].sort()).toEqual(["classifier", "classifier-side", "events", "informers"]);
});

test("the component alone sees a clock of its own", async () => {
  await using parts = await world();
  const clock = new FakeClock();
  let slept = false;
  const sleeping = testComponent(async (context) => {
    void context.clock.sleep(3_600_000).then(() => {
      slept = true;
    });
    return followClasses(context);
  });
  await using _ = await startComponent(sleeping, { ...parts, componentClock: clock });
  await clock.advance(3_600_000);
  expect(slept).toBe(true);
});

test("with leader election the next one runs when the first has released the lease", async () => {
  await using parts = await world();
  // The creator of a lease waits for its duration; who finds a free one does not.
  const free = { namespace: "default", name: `classifier-${parts.driver.settings.name.replaceAll(".", "-")}` };
  await parts.cluster.admin.create(Lease, { metadata: free });
  const elected = {
    leaderElection: true,
    leaderElectionRetryPeriod: 100,
    featureGates: new Map([["ReleaseLeaderElectionOnExit", true]]),
  };
  await using first = await startComponent(testComponent(), { ...parts, flags: elected, hostName: "first" });
  await using second = await startComponent(testComponent(), { ...parts, flags: elected, hostName: "second", waitUntilRunning: false });
  const holder = async () => (await parts.cluster.admin.list(Lease, { namespace: "default" })).items[0]?.spec?.holderIdentity;
  expect(await holder()).toBe("first");
  expect(second.starts).toBe(0);
  await first.stop();
  await second.running(1);
  expect(await holder()).toBe("second");
  expect((await second.requests()).filter(({ code }) => code === 403)).toEqual([]);
});

test("beside another component it is in the all-in-one, and its flags have a prefix", async () => {
  await using parts = await world();
  let timeout = 0;
  const descriptor = testComponent((context) => {
    timeout = context.flags.timeout;
    return followClasses(context);
  });
  await using run = await startComponent(descriptor, {
    ...parts,
    flags: { timeout: 150 },
    beside: [testComponent(followClasses, "other")],
  });
  expect(timeout).toBe(150);
  await until("both run", async () => (await run.metrics()).includes('csi_sidecars_controller_running{controller="other"} 1'));
});

test("it keeps no temporary folder while it runs: a test that runs out of time leaves none behind", async () => {
  await using parts = await world();
  // Other tests may be running beside this one.
  using temporary = temporaryFolder();
  await using run = await startComponent(testComponent(), parts);
  expect(readdirSync(temporary.path)).toEqual([]);
  expect(await run.stop()).toBe(0);
});

test("a start that fails leaves no temporary folder behind", async () => {
  await using parts = await world();
  using temporary = temporaryFolder();
  await expect(startComponent(testComponent(), { ...parts, flags: ["--unknown"], user: parts.cluster.newUser() })).rejects.toThrow(
    "ended with exit code",
  );
  expect(readdirSync(temporary.path)).toEqual([]);
});

/** What `tmpdir()` names until it is disposed of. */
function temporaryFolder(): Disposable & { readonly path: string } {
  const { TMPDIR } = process.env;
  const path = mkdtempSync(join(tmpdir(), "temporary-"));
  process.env.TMPDIR = path;
  return {
    path,
    [Symbol.dispose]() {
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
      rmSync(path, { recursive: true, force: true });
    },
  };
}
