import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readCommandLine } from "@csi-sidecars/host";
import { type Cluster, startCluster } from "@csi-sidecars/testcluster";
import { parse, parseAllDocuments } from "yaml";
import { commandLineOf } from "../../packages/host/program/sidecar-program.ts";
import { testAuthority } from "../../packages/kube/transport/testing/certificates.ts";
import { clusterPrograms, deploymentOf, rolesFileOf, rolesOf } from "../../tools/generate-deploy/cluster-programs.ts";
import { containerIn, type Manifest, manifestFiles, manifestsFolder, workloadIn } from "../../tools/generate-deploy/manifests.ts";
import { findKubectl } from "../integration/testing/find-kubectl.ts";
import { dryRun } from "./testing/dry-run.ts";

const kubectl = findKubectl(process.env);

describe.each(clusterPrograms.map((one) => [one.name, one] as const))("the manifests of %s", (name, one) => {
  const container = containerIn(deploymentOf(one), name);

  test("have the roles that the Deployment needs; else run npm run generate:deploy", () => {
    expect(readFileSync(rolesFileOf(one), "utf8")).toBe(rolesOf(one));
  });

  test("are all applied", () => {
    const { resources } = parse(readFileSync(join(manifestsFolder, one.folder, "kustomization.yaml"), "utf8"));
    expect(resources.toSorted()).toEqual(manifestFiles(join(manifestsFolder, one.folder)).toSorted());
  });

  test("have arguments that the program accepts without warnings", () => {
    const command = readCommandLine(commandLineOf(one.program), container.args);
    if (command.asks !== "run") throw new Error(JSON.stringify(command));
    expect({ problems: command.settings.problems, warnings: command.settings.warnings }).toEqual({ problems: [], warnings: [] });
  });

  test("run this version twice, with least privileges", () => {
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));
    const { spec } = workloadIn(deploymentOf(one));
    expect(spec).toMatchObject({ replicas: 2 });
    expect(spec.template.spec).toMatchObject({ securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } } });
    expect(container).toMatchObject({
      image: `${name}:v${version}`,
      livenessProbe: { httpGet: { path: "/livez", port: "http" } },
      readinessProbe: { httpGet: { path: "/readyz" } },
      resources: { requests: { memory: expect.any(String) }, limits: { memory: expect.any(String) } },
      securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
    });
  });
});

describe.skipIf(kubectl.path === undefined)(
  `what kustomize makes of them${kubectl.path === undefined ? ` (${kubectl.missing})` : ""}`,
  () => {
    let cluster: Cluster;
    let folder: string;
    let authority: string;
    beforeAll(async () => {
      cluster = await startCluster();
      folder = mkdtempSync(join(tmpdir(), "manifests-"));
      cpSync(manifestsFolder, folder, { recursive: true, filter: (path) => !path.endsWith("/certs") });
      const { pem, issue } = await testAuthority();
      authority = pem;
      const certs = join(folder, "snapshot-webhook/server/certs");
      mkdirSync(certs);
      const { cert, key } = await issue("snapshot-webhook", { names: ["snapshot-webhook.kube-system.svc"] });
      for (const [file, text] of Object.entries({ "tls.crt": cert, "tls.key": key, "ca.crt": pem })) writeFileSync(join(certs, file), text);
    });
    afterAll(async () => {
      rmSync(folder, { recursive: true });
      await cluster[Symbol.asyncDispose]();
    });

    function render(part: string): { readonly manifests: readonly Manifest[]; readonly stderr: string } {
      const { stdout, stderr } = Bun.spawnSync([kubectl.path ?? "", "kustomize", join(folder, part)]);
      return { manifests: parseAllDocuments(stdout.toString()).map((document): Manifest => document.toJS()), stderr: stderr.toString() };
    }
    const identity = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`;

    test("the definition and the configurations trust the authority of the certificate, and call a service that exists", () => {
      const { manifests } = render("snapshot-webhook");
      const all = manifests.map(identity);
      expect(all).toEqual(
        expect.arrayContaining(["Service snapshot-webhook", "Secret snapshot-webhook-certs", "Deployment snapshot-webhook"]),
      );
      const clients = manifests
        .flatMap((manifest) => clientsIn(manifest))
        .map(({ service, caBundle }) => {
          return [service.path, service.namespace, service.name, Buffer.from(caBundle, "base64").toString()];
        });
      const trusted = ["kube-system", "snapshot-webhook", authority];
      expect(clients.toSorted()).toEqual([
        ["/convert", ...trusted],
        ["/volumegroupsnapshot", ...trusted],
        ["/volumesnapshot", ...trusted],
      ]);
    });

    test("without a certificate nothing is made", () => {
      const certs = join(folder, "snapshot-webhook/server/certs");
      cpSync(certs, `${certs}-kept`, { recursive: true });
      rmSync(certs, { recursive: true });
      try {
        const { manifests, stderr } = render("snapshot-webhook");
        expect(manifests).toEqual([]);
        expect(stderr).toContain("certs/tls.crt");
      } finally {
        cpSync(`${certs}-kept`, certs, { recursive: true });
      }
    });

    test.each(["snapshot-controller", "snapshot-webhook", "volume-data-source-validator"])(
      "the API server takes all of %s",
      async (part) => {
        const { manifests } = render(part);
        const isKnown = async ({ apiVersion, kind }: Manifest) => {
          // The embedded server has the kinds of storage, and those that an example needs.
          return cluster.flavour === "real" || (await cluster.admin.discover(apiVersion))?.some((served) => served.kind === kind);
        };
        const taken: string[] = [];
        for (const manifest of manifests) {
          if (!(await isKnown(manifest))) continue;
          expect(identity(await dryRun(cluster, manifest))).toBe(identity(manifest));
          taken.push(identity(manifest));
        }
        expect(taken).toContain(`Deployment ${part}`);
        if (cluster.flavour === "real") expect(taken).toHaveLength(manifests.length);
      },
    );
  },
);

interface WebhookClient {
  readonly service: { readonly namespace: string; readonly name: string; readonly path: string };
  readonly caBundle: string;
}

interface CallsWebhooks extends Manifest {
  readonly webhooks?: readonly { readonly clientConfig: WebhookClient }[];
  readonly spec?: { readonly conversion?: { readonly webhook: { readonly clientConfig: WebhookClient } } };
}

function clientsIn({ webhooks = [], spec }: CallsWebhooks): readonly WebhookClient[] {
  const conversion = spec?.conversion?.webhook.clientConfig;
  return [...webhooks.map(({ clientConfig }) => clientConfig), ...(conversion ? [conversion] : [])];
}
