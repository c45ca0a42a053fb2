import { describe, expect, test } from "bun:test";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { silentLogger, systemClock } from "@csi-sidecars/base";
import { component, kubeApiFlags } from "@csi-sidecars/host";
import { CSIDriver, createClient } from "@csi-sidecars/kube";
import { type Cluster, startCluster, type TestUser } from "@csi-sidecars/testcluster";
import { rbacCommand } from "../rbac/rbac-command.ts";
import { applyFor, manifestsIn } from "../testing/apply-manifests.ts";
import { allInOne, individual, judge, maker, mover } from "../testing/programs.ts";
import { startDriver } from "../testing/test-driver.ts";
import { checkCommand } from "./check-command.ts";
import { inspect } from "./findings.ts";

const kubeconfigPath = "/kubeconfig";

/** Runs the command as the user, with a service account's namespace and nothing else from outside. */
function check(
  line: string,
  cluster: Pick<Cluster, "kubeconfig"> | undefined,
  user: Pick<TestUser, "token">,
  program = allInOne,
  env: Readonly<Record<string, string>> = { POD_NAME: "pod" },
) {
  const files = {
    read(path: string) {
      if (path === kubeconfigPath && cluster) return cluster.kubeconfig(user.token);
      throw new Error(`${path}: no such file`);
    },
  };
  const argv = line.split(" ").filter((word) => word !== "");
  return checkCommand([`--kubeconfig=${kubeconfigPath}`, ...argv], program, {
    env: { POD_NAMESPACE: "default", ...env },
    clock: systemClock,
    files,
  });
}

const findings = (stdout: string) =>
  (JSON.parse(stdout).findings as { severity: string; area: string; who?: string; message: string }[]).map((row) =>
    [row.severity, row.area, row.who, row.message].filter(Boolean).join(" | "),
  );
const problems = (stdout: string) => findings(stdout).filter((line) => !line.startsWith("ok"));

const notAServiceAccount = expect.stringMatching(
  /^warning \| permission \| the permissions of \S+ are checked, which is no service account/,
);

describe("csi-sidecars check", () => {
  test("an administrator checks the permissions of the pod's service account", async () => {
    await using cluster = await startCluster();
    const account = "system:serviceaccount:default:mover";
    const line = `--controllers=mover --csi-address=/nowhere --time-limit=2s -o json --as=${account}`;
    const admin = { token: cluster.adminToken };
    const without = findings((await check(line, cluster, admin)).stdout);
    expect(without).toContain(`ok | permission | the permissions of ${account} are checked`);
    expect(without).toContain("error | permission | mover | may not patch, get, list, watch persistentvolumes");
    const unknown = "warning | permission | there is no service account mover in namespace default";
    expect(without).toContain(unknown);
    await cluster.admin.raw("POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "mover" } });
    const manifests = manifestsIn(rbacCommand(["--controllers=mover", "--service-account=mover"], allInOne).stdout);
    for (const each of manifests) {
      const scope = each.metadata.namespace === undefined ? "" : "/namespaces/default";
      await cluster.admin.raw("POST", `/apis/${each.apiVersion}${scope}/${each.kind.toLowerCase()}s`, each);
    }
    const granted = findings((await check(line, cluster, admin)).stdout);
    expect(granted).toContain("ok | permission | all required permissions are granted");
    expect(granted).not.toContain(unknown);
    const groups = findings((await check(`${line} --as-group=system:masters`, cluster, admin)).stdout);
    expect(groups).toContain("ok | permission | all required permissions are granted");
    const other = await check(`${line} --as=`, cluster, cluster.newUser());
    expect(findings(other.stdout)).toContainEqual(notAServiceAccount);
    const refused = await check(line, cluster, cluster.newUser());
    expect([refused.exitCode, refused.stdout.includes("cannot impersonate")]).toEqual([1, true]);
    const alone = await check("--controllers=mover --csi-address=/nowhere -o json --as-group=dev", cluster, admin);
    expect(problems(alone.stdout)[0]).toBe("error | API server | --as-group needs a user to act as: set --as");
  });

  test("with the generated roles and a capable driver: everything is fine", async () => {
    await using cluster = await startCluster();
    await using driver = await startDriver();
    const user = cluster.newUser();
    const line = `--controllers=mover,maker,prober --leader-election --enable-capacity`;
    await applyFor(cluster, user, rbacCommand(line.split(" "), allInOne).stdout);
    await applyFor(cluster, user, rbacCommand(["--for=check"], allInOne).stdout);
    await cluster.admin.create(CSIDriver, { metadata: { name: "driver.example.com" }, spec: {} });
    const { exitCode, stdout, stderr } = await check(`${line} --csi-address=${driver.address} -o json`, cluster, user);
    expect(stderr).toBe("");
    expect(findings(stdout)).toEqual([
      "ok | API server | requests per second/at once: mover, maker 5/10",
      expect.stringMatching(/^ok \| API server \| Kubernetes v1\.\d+/),
      "warning | API | maker | volumesnapshots.snapshot.storage.k8s.io is not served (makes volumes from snapshots)",
      notAServiceAccount,
      "ok | permission | all required permissions are granted",
      "ok | driver | driver.example.com v9",
      "ok | driver | plugin: CONTROLLER_SERVICE",
      "ok | driver | controller: CREATE_DELETE_VOLUME",
      "ok | controller | mover | can run",
      "ok | controller | maker | can run",
      "ok | controller | prober | can run",
    ]);
    expect(exitCode).toBe(0);
    expect(stdout).not.toContain(user.token);
    expect(
      (await cluster.requests({ user: user.name })).filter(
        ({ verb, resource }) => verb !== "get" && verb !== "list" && !resource.startsWith("selfsubject"),
      ),
    ).toEqual([]);
  });

  const limited = component({ ...judge, name: "limited", standalone: "limited", flags: kubeApiFlags });
  test.each([
    ["the defaults of csi-sidecars", "all-in-one", "", "limited 20/40"],
    ["those of an individual program", "individual", "", "limited 5/10"],
    ["what is given", "all-in-one", "--kube-api-qps=50 --limited-kube-api-burst=70", "limited 50/70"],
    ["no limit", "all-in-one", "--kube-api-qps=-1", "limited no limit"],
    ["each controller's", "all-in-one", "--controllers=limited,judge", "judge 5/10; limited 20/40"],
  ] as const)("says how many requests may be sent: %s", async (_, form, flags, limits) => {
    const program = form === "individual" ? individual(limited) : { ...allInOne, components: [judge, limited] };
    const controllers = form === "individual" || flags.includes("--controllers") ? "" : "--controllers=limited";
    const { stdout } = await check(`${controllers} -o json ${flags}`, undefined, { token: "" }, program);
    expect(findings(stdout)).toContain(`ok | API server | requests per second/at once: ${limits}`);
  });

  test("a user without roles: each missing rule is named, and asked for once", async () => {
    await using cluster = await startCluster();
    await using driver = await startDriver();
    const user = cluster.newUser();
    const { exitCode, stdout } = await check(
      `--controllers=mover,maker --leader-election --csi-address=${driver.address} -o json`,
      cluster,
      user,
    );
    expect(exitCode).toBe(1);
    expect(problems(stdout)).toEqual([
      "warning | API | maker | volumesnapshots.snapshot.storage.k8s.io is not served (makes volumes from snapshots)",
      notAServiceAccount,
      "error | permission | mover | may not patch, get, list, watch persistentvolumes",
      "error | permission | mover | may not get, list, watch, patch volumeattachments.storage.k8s.io",
      "error | permission | mover | may not patch volumeattachments.storage.k8s.io/status",
      "warning | permission | mover | may not get secrets (reads the secrets that volumes name)",
      "error | permission | maker | may not get, list, watch, create, delete persistentvolumes",
      "error | permission | leader election | may not get, create, update leases.coordination.k8s.io in namespace default",
      "warning | permission | leader election | may not create, patch events in namespace default (reports in events who leads, and which legacy sidecar blocks it)",
      "error | controller | mover | would run, but lacks permissions: see above",
      "error | controller | maker | would run, but lacks permissions: see above",
      "warning | controller | not judged: could not read CSIDriver driver.example.com: needs get on csidrivers.storage.k8s.io",
      "warning | controller | not judged: could not read pods: needs list on pods in namespace default",
    ]);
    // patch get list watch create delete of volumes, 4 + 1 of attachments, 1 of secrets, 1 of snapshots, 3 of leases, 2 of events
    expect((await cluster.requests({ user: user.name, resource: "selfsubjectaccessreviews" })).length).toBe(18);
  });

  test("a component with a lease of its own needs that lease, and no driver", async () => {
    await using cluster = await startCluster();
    const program = { ...allInOne, components: [...allInOne.components, judge] };
    const user = cluster.newUser();
    const line = "--controllers=judge --leader-election -o json";
    const without = await check(line, cluster, user, program);
    expect(problems(without.stdout)).toEqual([
      notAServiceAccount,
      "error | permission | judge | may not list, watch persistentvolumeclaims",
      "error | permission | leader election | may not get, create, update leases.coordination.k8s.io in namespace default",
      expect.stringContaining("leader election | may not create, patch events in namespace default"),
      "error | controller | judge | would run, but lacks permissions: see above",
      "warning | controller | not judged: could not read leases: needs list on leases.coordination.k8s.io",
      "warning | controller | not judged: could not read pods: needs list on pods in namespace default",
    ]);
    await applyFor(cluster, user, rbacCommand(["--for=check"], program).stdout);
    await applyFor(cluster, user, rbacCommand(["--controllers=judge"], program).stdout);
    const granted = await check(line, cluster, user, program);
    expect([granted.exitCode, problems(granted.stdout), granted.stdout.includes("driver")]).toEqual([0, [notAServiceAccount], false]);
  });

  test("outside a pod, capacity objects are expected in NAMESPACE, the lease is not", async () => {
    await using cluster = await startCluster();
    await using driver = await startDriver();
    const line = `--controllers=maker --leader-election --enable-capacity --csi-address=${driver.address} -o json`;
    const env = { POD_NAMESPACE: "", NAMESPACE: "storage", POD_NAME: "pod" };
    const { stdout } = await check(line, cluster, cluster.newUser(), allInOne, env);
    expect(
      problems(stdout)
        .filter((line) => line.includes("| permission |"))
        .flatMap((problem) => /\S+ in namespace \S+/.exec(problem)?.[0] ?? []),
    ).toEqual([
      "csistoragecapacities.storage.k8s.io in namespace storage",
      "leases.coordination.k8s.io in namespace default",
      "events in namespace default",
    ]);
  });

  test("a driver that lacks what a component needs", async () => {
    await using cluster = await startCluster();
    await using driver = await startDriver({ controller: [], ready: false });
    const user = { token: cluster.adminToken };
    const both = await check(`--controllers=mover,maker --csi-address=${driver.address} -o json`, cluster, user);
    expect(problems(both.stdout).slice(-3)).toEqual([
      "warning | driver | the driver's probe reports that it is not ready",
      "warning | controller | maker | disabled: the driver makes no volumes",
      "warning | driver | there is no CSIDriver object driver.example.com: Kubernetes takes the defaults for it",
    ]);
    expect(both.exitCode).toBe(0);
    const alone = await check(`--csi-address=${driver.address}`, cluster, user, individual(maker));
    expect(alone.exitCode).toBe(1);
    expect(alone.stdout).toMatch(/^error +controller +maker +disabled: the driver makes no volumes$/m);
  });

  test("no driver, no API server: both are said within the time limit", async () => {
    const started = performance.now();
    const { exitCode, stdout } = await check("--controllers=mover --csi-address=/nowhere/csi.sock --time-limit=200ms -o=json", undefined, {
      token: "",
    });
    expect(exitCode).toBe(1);
    expect(problems(stdout)).toEqual([
      expect.stringMatching(/^error \| API server \| .*\/kubeconfig/),
      expect.stringMatching(/^error \| driver \| no CSI driver answers at \/nowhere\/csi.sock: /),
    ]);
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test("a driver that accepts and is silent", async () => {
    await using driver = await startDriver({ silent: true });
    const { exitCode, stdout } = await check(`--controllers=prober --csi-address=${driver.address} --time-limit=200ms -o json`, undefined, {
      token: "",
    });
    expect(exitCode).toBe(1);
    expect(problems(stdout)).toEqual([expect.stringMatching(/^error \| driver \| no CSI driver answers at .*: no answer within /)]);
  });

  test.each<[string, boolean, RegExp]>([
    ["is not there", false, /^error \| API server \| .*connection refused .*; check that the API server runs and listens there$/],
    ["accepts and is silent", true, /^error \| API server \| /],
  ])("an API server that %s", async (_, listens, message) => {
    await using cluster = await startCluster();
    await using driver = await startDriver();
    const listener = createServer(() => {});
    await once(listener.listen(0, "127.0.0.1"), "listening");
    const { port } = listener.address() as AddressInfo;
    if (!listens) await new Promise((resolve) => listener.close(resolve));
    const elsewhere = { kubeconfig: (token: string) => cluster.kubeconfig(token).replace(cluster.url, `https://127.0.0.1:${port}`) };
    const line = `--controllers=mover --csi-address=${driver.address} --time-limit=300ms -o json`;
    const { exitCode, stdout } = await check(line, elsewhere, { token: cluster.adminToken });
    listener.close();
    expect(exitCode).toBe(1);
    expect(problems(stdout)).toEqual([
      expect.stringMatching(message),
      "warning | controller | mover | the driver has what it needs; whether it can run is not known without the API server",
    ]);
    expect(findings(stdout)).toContain("ok | driver | driver.example.com v9");
    expect(stdout).not.toContain(cluster.adminToken);
  });

  test("a variable that the program will not start without is missed", async () => {
    const flags = "--controllers=maker --enable-capacity --csi-address=/nowhere --time-limit=100ms -o json";
    const { stdout } = await check(flags, undefined, { token: "" }, allInOne, {});
    expect(problems(stdout)[0]).toBe("warning | flags | --enable-capacity needs POD_NAME (not set where this check runs)");
  });

  test("flags that cannot work are part of the report; those that cannot be understood are not", async () => {
    const flags = "--controllers=prober --http-endpoint=:1 --metrics-address=:2 --feature-gates=Nonsense=true";
    const { exitCode, stdout } = await check(`${flags} --csi-address=/nowhere --time-limit=100ms -o json`, undefined, { token: "" });
    expect(exitCode).toBe(1);
    expect(problems(stdout).slice(0, 2)).toEqual([
      "error | flags | Only one of `--metrics-address` and `--http-endpoint` can be set",
      "error | flags | --feature-gates: unrecognized feature gate: Nonsense",
    ]);
    expect(await check("-o yaml", undefined, { token: "" })).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: 'invalid value "yaml" for flag --o: must be one of table, json\nRun csi-sidecars check --help for usage.\n',
    });
    expect((await check("--controllers=nobody", undefined, { token: "" })).exitCode).toBe(1);
    expect((await check("--help", undefined, { token: "" })).stdout).toContain("--output, -o table|json (default table)");
  });
});

test("at start-up a driver that is known is asked for nothing but what it can do", async () => {
  await using cluster = await startCluster();
  const asked: string[] = [];
  const none = async () => new Set<never>();
  const findings = await inspect({
    program: allInOne,
    components: [{ component: mover, rules: mover.rbac({ timeout: 1_000 }), kinds: [] }],
    namespace: "default",
    kube: createClient({
      transport: cluster.transport(cluster.adminToken),
      clock: systemClock,
      log: silentLogger,
      name: "report",
      qps: -1,
      burst: 0,
    }),
    driver: {
      identity: { name: "driver.example.com" },
      kinds: ["controller"],
      capabilities: {
        plugin: async () => ({ services: new Set(), volumeExpansion: new Set() }),
        controller: async () => {
          asked.push("controller");
          return new Set();
        },
        groupController: none,
        node: none,
      },
    },
    clock: systemClock,
  });
  expect(asked).toEqual(["controller"]);
  expect(findings.driver).toEqual({ known: true, value: { name: "driver.example.com", capabilities: { controller: [] } } });
  expect(findings.access.every(({ allowed }) => allowed.known && allowed.value)).toBe(true);
  expect(findings.components).toEqual([{ name: "mover", elected: true, usesServer: true, runs: undefined }]);
});
