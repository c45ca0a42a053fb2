import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type CustomResourceDefinition, snapshotDefinitions } from "@csi-sidecars/crds";
import { installDefinitions } from "@csi-sidecars/testcluster";
import { binary } from "../e2e/testing/binary.ts";
import { until } from "../e2e/testing/until.ts";
import { startE2eWorld, type World } from "../e2e/testing/world.ts";
import { exactClient } from "./testing/exact-client.ts";
import { servedName } from "./testing/tls-client.ts";
import { type RunningWebhook, startWebhook } from "./testing/webhook-process.ts";

const isReal = process.env.TESTCLUSTER === "real";
const group = "groupsnapshot.storage.k8s.io";
const versions = ["v1", "v1beta2", "v1beta1"] as const;
const tracking = "groupsnapshot.storage.kubernetes.io/volume-snapshot-info-list";
const info = { creationTime: 1_700_000_000_123_456_789n, readyToUse: true, restoreSize: 5, snapshotHandle: "s", volumeHandle: "v" };

// The embedded API server calls no webhooks.
describe.skipIf(!isReal)("the API server calls the webhook (TESTCLUSTER=real only: the embedded server calls none)", () => {
  let world: World;
  let webhook: RunningWebhook;
  let api: ReturnType<typeof exactClient>;
  beforeAll(async () => {
    world = await startE2eWorld({ cluster: { own: true } });
    api = exactClient(world.cluster);
    const flags = ["--enable-volume-group-snapshot-webhook"];
    const { kubeconfig } = await world.account((user) => {
      return Bun.spawnSync([binary("snapshot-webhook"), "rbac", `--name-prefix=${user}`, ...flags]).stdout.toString();
    });
    webhook = await startWebhook([`--kubeconfig=${kubeconfig}`, ...flags]);
    await installDefinitions(world.cluster.admin, snapshotDefinitions.map(withConversion));
  }, 60_000);
  afterAll(async () => {
    await webhook[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  }, 60_000);

  /** Also the kinds that need none: then the webhook reads its own classes through itself. */
  function withConversion(definition: CustomResourceDefinition): Parameters<typeof installDefinitions>[1][number] {
    if (definition.spec.group !== group) return definition;
    const conversion = {
      strategy: "Webhook",
      webhook: { conversionReviewVersions: ["v1"], clientConfig: webhook.clientConfig("/convert") },
    };
    return { ...definition, spec: { ...definition.spec, conversion } };
  }

  const path = (version: string, name = "") => `/apis/${group}/${version}/volumegroupsnapshotcontents${name && `/${name}`}`;
  const content = (version: string, name: string) => ({
    apiVersion: `${group}/${version}`,
    kind: "VolumeGroupSnapshotContent",
    metadata: { name },
    spec: {
      deletionPolicy: "Delete",
      driver: "driver.example.com",
      source: { volumeHandles: ["v"] },
      volumeGroupSnapshotRef: { name: "group", namespace: "default" },
    },
  });
  /** A content created and given its status in some version. */
  async function taken(version: string, name: string, status: object): Promise<void> {
    expect((await api.post(path(version), content(version, name))).status).toBe(201);
    expect((await api.patch(`${path(version, name)}/status`, { status })).status).toBe(200);
  }

  test.each(versions.slice(0, 2))("what is written as %s is read in every version, to the last digit", async (version) => {
    const name = `written-${version}`;
    await taken(version, name, { readyToUse: true, volumeSnapshotInfoList: [info] });
    for (const other of ["v1", "v1beta2"]) {
      const { body } = await api.get(path(other, name));
      expect(body).toMatchObject({ apiVersion: `${group}/${other}`, spec: { driver: "driver.example.com" } });
      expect(body.status).toEqual({ readyToUse: true, volumeSnapshotInfoList: [info] });
      expect(body.metadata.annotations).toBeUndefined();
    }
    const { body: old } = await api.get(path("v1beta1", name));
    expect(old.status).toEqual({ readyToUse: true, volumeSnapshotHandlePairList: [{ snapshotHandle: "s", volumeHandle: "v" }] });
    expect(old.metadata.annotations).toEqual({
      [tracking]: '[{"creationTime":1700000000123456789,"readyToUse":true,"restoreSize":5,"snapshotHandle":"s","volumeHandle":"v"}]',
    });
  });

  test("a label written through v1beta1 leaves the list in place", async () => {
    await taken("v1", "labelled", { volumeSnapshotInfoList: [info] });
    const { status } = await api.patch(path("v1beta1", "labelled"), { metadata: { labels: { touched: "yes" } } });
    expect(status).toBe(200);
    const { body } = await api.get(path("v1", "labelled"));
    expect(body.metadata.labels).toEqual({ touched: "yes" });
    expect(body.status.volumeSnapshotInfoList).toEqual([info]);
    expect(body.metadata.annotations?.[tracking]).toBeUndefined();
  });

  test("the handles that a client of v1beta1 writes are read in the others", async () => {
    const pairs = [{ snapshotHandle: "s", volumeHandle: "v" }];
    await taken("v1beta1", "old", { volumeSnapshotHandlePairList: pairs });
    for (const version of ["v1", "v1beta2"])
      expect((await api.get(path(version, "old"))).body.status).toEqual({ volumeSnapshotInfoList: pairs });
    expect((await api.get(path("v1beta1", "old"))).body.status.volumeSnapshotHandlePairList).toEqual(pairs);
  });

  test("lists are converted in every version", async () => {
    await taken("v1", "listed-1", { volumeSnapshotInfoList: [info] });
    await taken("v1", "listed-2", { volumeSnapshotInfoList: [info, { ...info, volumeHandle: "w" }] });
    for (const version of versions) {
      const { status, body } = await api.get(path(version));
      expect(status).toBe(200);
      const names = body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
      expect(names).toEqual(expect.arrayContaining(["listed-1", "listed-2"]));
    }
  });

  test("classes and group snapshots only change their version", async () => {
    const groups = (version: string, name = "") => `/apis/${group}/${version}/namespaces/default/volumegroupsnapshots${name}`;
    const spec = { source: { selector: { matchLabels: { app: "a" } } } };
    const created = await api.post(groups("v1"), {
      apiVersion: `${group}/v1`,
      kind: "VolumeGroupSnapshot",
      metadata: { name: "group" },
      spec,
    });
    expect(created.status).toBe(201);
    for (const version of versions)
      expect((await api.get(groups(version, "/group"))).body).toMatchObject({ apiVersion: `${group}/${version}`, spec });
  });

  test("without the webhook only the stored version is read; with it, and another certificate, all are again", async () => {
    await taken("v1", "outage", { volumeSnapshotInfoList: [info] });
    await webhook.kill();
    expect((await api.get(path("v1beta2", "outage"))).status).toBe(200);
    expect((await api.get(path("v1", "outage"))).body.message).toContain("conversion webhook for groupsnapshot.storage.k8s.io/v1beta2");
    await webhook.restart();
    expect((await api.get(path("v1", "outage"))).body.status.volumeSnapshotInfoList).toEqual([info]);
    await webhook.renew("second");
    await until("the new certificate", async () => (await servedName(webhook.port)) === "second");
    expect((await api.get(path("v1beta1", "outage"))).status).toBe(200);
  });

  describe.each([
    ["VolumeSnapshotClass", "snapshot.storage.k8s.io", ["v1"], "volumesnapshotclasses", "/volumesnapshot", "snapshot class"],
    ["VolumeGroupSnapshotClass", group, versions, "volumegroupsnapshotclasses", "/volumegroupsnapshot", "group snapshot class"],
  ] as const)("%s", (kind, apiGroup, apiVersions, resource, endpoint, noun) => {
    const classes = (version: string, query = "") => `/apis/${apiGroup}/${version}/${resource}${query}`;
    const object = (version: string, name: string, isDefault: boolean) => ({
      apiVersion: `${apiGroup}/${version}`,
      kind,
      metadata: { name, annotations: { [`${apiGroup.replace("k8s", "kubernetes")}/is-default-class`]: String(isDefault) } },
      driver: "driver.example.com",
      deletionPolicy: "Delete",
    });

    test("a second default class of a driver is refused, when it is created and when it becomes one", async () => {
      const name = `validation-webhook.${apiGroup}`;
      const configured = await api.post("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", {
        apiVersion: "admissionregistration.k8s.io/v1",
        kind: "ValidatingWebhookConfiguration",
        metadata: { name },
        webhooks: [
          {
            name,
            rules: [{ apiGroups: [apiGroup], apiVersions, operations: ["CREATE", "UPDATE"], resources: [resource], scope: "*" }],
            clientConfig: webhook.clientConfig(endpoint),
            ...{ admissionReviewVersions: ["v1"], sideEffects: "None", failurePolicy: "Fail", timeoutSeconds: 5 },
          },
        ],
      });
      expect(configured.status).toBe(201);
      const [first] = apiVersions;
      expect(
        (
          await until("the classes to be known", async () => {
            const answer = await api.post(classes(first), object(first, "first", true));
            return answer.status === 500 ? undefined : answer;
          })
        ).status,
      ).toBe(201);
      const refused = {
        code: 400,
        message: `admission webhook "${name}" denied the request: default ${noun}: first already exists for driver: driver.example.com`,
      };
      for (const version of apiVersions) {
        const refusal = async () => {
          const { status, body } = await api.post(classes(version, "?dryRun=All"), object(version, "second", true));
          return status === 201 || status === 500 ? undefined : body;
        };
        expect(await until("the webhook to be asked and to know the class", refusal)).toMatchObject(refused);
      }
      expect((await api.post(classes(first), object(first, "second", false))).status).toBe(201);
      const marked = { metadata: { annotations: object(first, "second", true).metadata.annotations } };
      expect((await api.patch(classes(first, "/second"), marked)).body).toMatchObject(refused);
      expect((await api.patch(classes(first, "/first"), { metadata: { labels: { still: "default" } } })).status).toBe(200);
      const other = { ...object(first, "third", true), driver: "other.example.com" };
      expect((await api.post(classes(first), other)).status).toBe(201);
    });
  });
});
