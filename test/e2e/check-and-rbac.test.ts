import { describe, expect, test } from "bun:test";
import { Secret, VolumeAttachment } from "@csi-sidecars/kube";
import { binary } from "./testing/binary.ts";
import { namespace } from "./testing/election.ts";
import { addNode, addVolume, attach, attached, attachments } from "./testing/objects.ts";
import { until } from "./testing/until.ts";
import { type Account, rolesFor, startE2eWorld, type World } from "./testing/world.ts";

const line = ["--controllers=attacher", "--leader-election"];

/** Runs `csi-sidecars check` to its end. */
async function check(world: World, { kubeconfig }: Pick<Account, "kubeconfig">, ...more: string[]) {
  const command = world.start("check", ["check", ...line, `--kubeconfig=${kubeconfig}`, ...more]);
  const code = await command.exit();
  return { code, stdout: command.stdout, output: command.output };
}

/** Roles that were just bound count when the API server has noticed. */
const allowed = (world: World, account: Account) => until("the roles", async () => (await check(world, account)).code === 0);

describe("csi-sidecars check", () => {
  test("everything is in order: a table or JSON, exit code 0, and nothing is changed", async () => {
    await using world = await startE2eWorld();
    const account = await world.account(rolesFor("attacher"));
    await allowed(world, account);
    const { stdout, output } = await check(world, account);
    expect(output).toBe(stdout);
    expect(stdout.split("\n").map((row) => row.replaceAll(/ {2,}/g, " | "))).toEqual([
      "RESULT | AREA | CONTROLLER | FINDING",
      "ok | API server | requests per second/at once: attacher 20/40",
      expect.stringMatching(/^ok \| API server \| Kubernetes v1\.\d+/),
      expect.stringMatching(/^warning \| permission \| the permissions of \S+ are checked, which is no service account: /),
      "ok | permission | all required permissions are granted",
      "ok | driver | driver.example.com 1.0.0",
      "ok | driver | plugin: CONTROLLER_SERVICE",
      expect.stringMatching(/^ok \| driver \| controller: .*PUBLISH_UNPUBLISH_VOLUME/),
      "ok | controller | attacher | can run",
      ...["CSIDriver driver.example.com", "leases", "pods"].map((what) =>
        expect.stringMatching(new RegExp(`^warning \\| controller \\| not judged: could not read ${what}: needs (get|list) on `)),
      ),
      "",
    ]);
    const report = JSON.parse((await check(world, account, "-o", "json")).stdout);
    expect(report).toMatchObject({ program: "csi-sidecars", complete: true, controllers: [{ name: "attacher", runs: true }] });
    expect(report.driver.name).toBe("driver.example.com");
    const verbs = (await world.cluster.requests({ user: account.name }))
      .filter(({ resource }) => !resource.startsWith("selfsubject"))
      .map(({ verb }) => verb);
    expect([...new Set(verbs)].toSorted()).toEqual(["get", "list"]);
  });

  test("a role lacks a verb: the report names it and the remedy, exit code 1; the log does at start", async () => {
    await using world = await startE2eWorld();
    const lacking = (user: string) =>
      rolesFor("attacher")(user)
        .replace(/(resources: \["volumeattachments"\]\n.*), "patch"/, "$1")
        .replace('"create", "update"', '"create"');
    const account = await world.account(lacking);
    const missing = async () => {
      const { code, stdout } = await check(world, account, "-o=json");
      const errors = JSON.parse(stdout).findings.filter(({ severity }: { severity: string }) => severity === "error");
      return errors.length === 3 && { code, errors };
    };
    expect(await until("the two that are missing", missing)).toMatchObject({
      code: 1,
      errors: [
        {
          area: "permission",
          who: "attacher",
          message: "may not patch volumeattachments.storage.k8s.io",
          remedy: "bind the roles that `csi-sidecars rbac` prints",
        },
        { area: "permission", who: "leader election", message: `may not update leases.coordination.k8s.io in namespace ${namespace}` },
        { area: "controller", who: "attacher", message: "would run, but lacks permissions: see above" },
      ],
    });
    const table = await check(world, account);
    expect(table.code).toBe(1);
    expect(table.stdout).toMatch(/^error +permission +attacher +may not patch volumeattachments\.storage\.k8s\.io -> bind the roles/m);
    const sidecar = world.start("pod", [...line, `--kubeconfig=${account.kubeconfig}`]);
    await until("the report at start", () => sidecar.output.includes("Compatibility: may not patch volumeattachments.storage.k8s.io"));
  });

  test("no driver, an unknown flag, and an unknown controller", async () => {
    await using world = await startE2eWorld({ driver: { started: false } });
    const account = await world.account(rolesFor("attacher"));
    const { code, stdout } = await check(world, account, "--time-limit=500ms");
    expect(code).toBe(1);
    expect(stdout).toContain(`no CSI driver answers at ${world.driver.address}`);
    expect((await check(world, account, "--no-such-flag")).code).toBe(2);
    const unknown = await check(world, account, "--controllers=nobody");
    expect(unknown.code).toBe(1);
    expect(unknown.output).toContain('"nobody" is not in the list of known controllers');
  });
});

describe("csi-sidecars rbac", () => {
  test("its roles are enough to attach with a secret, detach and lead; no request is forbidden", async () => {
    await using world = await startE2eWorld();
    const { cluster, driver } = world;
    await addNode(cluster, "node", driver.settings.name);
    const reader = (user: string) =>
      Bun.spawnSync([binary(), "rbac", "--for=check", `--name-prefix=${user}`, `--service-account=${user}`]).stdout.toString();
    const account = await world.account((user) => rolesFor("attacher")(user) + reader(user));
    await allowed(world, account);
    await cluster.admin.create(Secret, { metadata: { namespace, name: "login" }, stringData: { password: "swordfish" } });
    const sidecar = world.start("pod", [...line, `--kubeconfig=${account.kubeconfig}`]);
    await addVolume(world, "data", { controllerPublishSecretRef: { namespace, name: "login" } });
    await attach(cluster, "data", "node", driver.settings.name);
    await attached(cluster, "data");
    expect(driver.calls("ControllerPublishVolume")[0]?.request.secrets).toEqual({ password: "swordfish" });
    await cluster.admin.delete(VolumeAttachment, { name: "va-data" });
    await until("the detach", async () => (await attachments(cluster)).length === 0);
    expect(await sidecar.end()).toBe(0);
    expect(await cluster.requests({ user: account.name, code: 403 })).toEqual([]);
  });

  test("components that do not use the API server get no role; --format=helm prints a template", async () => {
    expect(rolesFor("livenessprobe,node-driver-registrar")("x")).toBe(
      "# csi-sidecars with livenessprobe, node-driver-registrar needs no access to the cluster.\n",
    );
    await using world = await startE2eWorld();
    const helm = world.start("rbac", ["rbac", "--controllers=attacher", "--format=helm"]);
    expect(await helm.exit()).toBe(0);
    expect(helm.stdout).toContain("{{");
    expect(await world.start("rbac", ["rbac", "--format=xml"]).exit()).toBe(2);
  });
});
