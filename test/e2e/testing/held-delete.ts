import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { isNotFound, type KubeObject, resource, VolumeAttachment } from "@csi-sidecars/kube";
import type { Cluster } from "@csi-sidecars/testcluster";
import { certificateAuthority } from "../../../packages/testcluster/apiserver/access/certificate-authority.ts";
import { until } from "./until.ts";

/** A delete request that has read its object and not removed it yet. */
export interface HeldDelete extends AsyncDisposable {
  /** Lets it remove the object in its present state. Resolves when the object is gone. */
  finish(): Promise<void>;
}

const WebhookConfiguration = resource<KubeObject>(
  "admissionregistration.k8s.io/v1",
  "validatingwebhookconfigurations",
  "ValidatingWebhookConfiguration",
  { namespaced: false },
);

/** Starts to delete an attachment. On a real server an admission webhook delays it; the embedded server has a fault for it. */
export async function holdDelete(cluster: Cluster, name: string): Promise<HeldDelete> {
  const { admin, embedded } = cluster;
  const remove = (dryRun = false) => admin.delete(VolumeAttachment, { name }, { dryRun });
  const gone = () => until(`${name} gone`, () => admin.get(VolumeAttachment, { name }).then(() => false, isNotFound));
  if (embedded) {
    return {
      async finish() {
        embedded.faults.add({ match: { verb: "delete", resource: "volumeattachments" }, action: { do: "ignoreFinalizers" }, times: 1 });
        await remove();
        await gone();
      },
      [Symbol.asyncDispose]: async () => {},
    };
  }
  await using started = new AsyncDisposableStack();
  const webhook = started.use(await startSlowWebhook());
  const { configuration } = webhook;
  await admin.create(WebhookConfiguration, configuration);
  started.defer(() => admin.delete(WebhookConfiguration, { name: configuration.metadata.name }));
  await until("the webhook to be called", async () => {
    await remove(true);
    return webhook.tried;
  });
  const removed = remove();
  started.defer(async () => {
    webhook.answer();
    await removed;
  });
  await webhook.asked;
  const running = started.move();
  return {
    async finish() {
      webhook.answer();
      await removed;
      await gone();
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** An admission webhook that allows deletes of attachments only after `answer`. The API server waits for it. */
interface SlowWebhook extends AsyncDisposable {
  readonly configuration: { readonly metadata: { readonly name: string } };
  /** Whether it was called for a dry run, which it answers at once. */
  readonly tried: boolean;
  /** Resolves when it is called for a delete that is no dry run. */
  readonly asked: Promise<void>;
  /** Allows all deletes, now and later. */
  answer(): void;
}

async function startSlowWebhook(): Promise<SlowWebhook> {
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  let tried = false;
  const authority = await certificateAuthority();
  const { certPem, keyPem } = await authority.issueServer();
  const server = createServer({ cert: certPem, key: keyPem }, async (request, response) => {
    const { apiVersion, kind, request: review } = JSON.parse(await text(request));
    if (review.dryRun) tried = true;
    else {
      asked.resolve();
      await answered.promise;
    }
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ apiVersion, kind, response: { uid: review.uid, allowed: true } }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    configuration: configurationFor(`https://127.0.0.1:${port}/`, authority.certPem),
    get tried() {
      return tried;
    },
    asked: asked.promise,
    answer: () => answered.resolve(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function configurationFor(url: string, caPem: string): SlowWebhook["configuration"] {
  const rule = { apiGroups: ["storage.k8s.io"], apiVersions: ["v1"], operations: ["DELETE"], resources: ["volumeattachments"] };
  const webhook = {
    name: "slow-webhook.example.com",
    clientConfig: { url, caBundle: Buffer.from(caPem).toString("base64") },
    rules: [rule],
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    timeoutSeconds: 30,
    failurePolicy: "Ignore",
  };
  return Object.assign({ metadata: { name: "slow-webhook" } }, { webhooks: [webhook] });
}
