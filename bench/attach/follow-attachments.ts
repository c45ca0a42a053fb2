import { silentLogger, systemClock } from "@csi-sidecars/base";
import { fields, InformerFactory, VolumeAttachment } from "@csi-sidecars/kube";
import type { World } from "./world.ts";

/** What is known of the attachments as they change. */
export interface Following extends AsyncDisposable {
  /** Resolves when so many exist, so many of them attached; `check` is called now and then and may throw. */
  until(counts: { readonly present: number; readonly attached: number }, check: () => void): Promise<void>;
}

const attachmentFields = fields(VolumeAttachment, { status: { attached: true } });
const patienceMs = 15 * 60_000;

export async function followAttachments({ admin }: World): Promise<Following> {
  const stop = new AbortController();
  const factory = new InformerFactory({ client: admin, clock: systemClock, log: silentLogger });
  const view = factory.of(attachmentFields);
  const attached = new Set<string>();
  const present = new Set<string>();
  let changed = () => {};
  const note = ({ metadata: { name }, status }: { metadata: { name: string }; status?: { attached?: boolean } }) => {
    present.add(name);
    if (status?.attached) attached.add(name);
    changed();
  };
  view.addHandler({
    onAdd: note,
    onUpdate: (_, attachment) => note(attachment),
    onDelete({ metadata: { name } }) {
      present.delete(name);
      attached.delete(name);
      changed();
    },
  });
  factory.start(stop.signal);
  await factory.waitForSync();
  return {
    until: (counts, check) =>
      new Promise((resolve, reject) => {
        const deadline = Date.now() + patienceMs;
        const timer = setInterval(() => {
          try {
            check();
            if (Date.now() > deadline) throw new Error(`${attached.size} attached of ${present.size}, expected ${JSON.stringify(counts)}`);
          } catch (error) {
            clearInterval(timer);
            reject(error);
          }
        }, 1_000);
        changed = () => {
          if (present.size !== counts.present || attached.size !== counts.attached) return;
          clearInterval(timer);
          resolve();
        };
        changed();
      }),
    async [Symbol.asyncDispose]() {
      stop.abort();
    },
  };
}
