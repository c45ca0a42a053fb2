import { isNotFound, type KubeObject, resource, VolumeAttachment } from "@csi-sidecars/kube";
import type { Cluster } from "@csi-sidecars/testcluster";
import { startSlowWebhook } from "./slow-webhook.ts";
import { until } from "./until.ts";

/** A delete that has read its object and not yet removed it. */
export interface HeldDelete extends AsyncDisposable {
  /** Lets it remove the object, in whatever state that is now; resolves when it is gone. */
  finish(): Promise<void>;
}

const WebhookConfiguration = resource<KubeObject>(
  "admissionregistration.k8s.io/v1",
  "validatingwebhookconfigurations",
  "ValidatingWebhookConfiguration",
  { namespaced: false },
);

/** Begins to delete an attachment. On a real server an admission webhook takes its time; the embedded one has a fault for it. */
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
  await until("the webhook to be known", async () => {
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
