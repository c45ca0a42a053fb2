import { silentLogger, systemClock } from "@csi-sidecars/base";
import { fields, InformerFactory, PersistentVolume, PersistentVolumeClaim } from "@csi-sidecars/kube";
import type { World } from "../attach/world.ts";

/** How many there are. */
export interface Counts {
  readonly volumes: number;
  /** Claims that are bound. */
  readonly bound: number;
}

export interface Following extends AsyncDisposable {
  readonly counts: Counts;
  /** Resolves when the counts are as wanted; `check` is called now and then and may throw. */
  until(is: (counts: Counts) => boolean, check: () => void): Promise<void>;
}

const volumeFields = fields(PersistentVolume, { status: { phase: true } });
const claimFields = fields(PersistentVolumeClaim, { status: { phase: true } });
const patienceMs = 20 * 60_000;

/** Follows claims and volumes as everybody else can see them. */
export async function followVolumes({ admin }: World): Promise<Following> {
  const stop = new AbortController();
  const factory = new InformerFactory({ client: admin, clock: systemClock, log: silentLogger });
  const volumes = new Set<string>();
  const bound = new Set<string>();
  const waiting = new Set<() => void>();
  const news = () => {
    for (const look of waiting) look();
  };
  const noteVolume = ({ metadata: { name } }: { readonly metadata: { readonly name: string } }) => {
    volumes.add(name);
    news();
  };
  factory.of(volumeFields).addHandler({
    onAdd: noteVolume,
    onUpdate: (_, volume) => noteVolume(volume),
    onDelete({ metadata: { name } }) {
      volumes.delete(name);
      news();
    },
  });
  const noteClaim = ({ metadata: { name }, status }: { metadata: { name: string }; status?: { phase?: string } }) => {
    if (status?.phase === "Bound") bound.add(name);
    news();
  };
  factory.of(claimFields).addHandler({
    onAdd: noteClaim,
    onUpdate: (_, claim) => noteClaim(claim),
    onDelete({ metadata: { name } }) {
      bound.delete(name);
      news();
    },
  });
  factory.start(stop.signal);
  await factory.waitForSync();
  const counts = () => ({ volumes: volumes.size, bound: bound.size });
  return {
    get counts() {
      return counts();
    },
    until: (is, check) =>
      new Promise((resolve, reject) => {
        const deadline = Date.now() + patienceMs;
        const end = () => {
          clearInterval(timer);
          waiting.delete(look);
        };
        const timer = setInterval(() => {
          try {
            check();
            if (Date.now() > deadline) throw new Error(`waited too long; there are ${JSON.stringify(counts())}`);
          } catch (error) {
            end();
            reject(error);
          }
        }, 1_000);
        const look = () => {
          if (!is(counts())) return;
          end();
          resolve();
        };
        waiting.add(look);
        look();
      }),
    async [Symbol.asyncDispose]() {
      stop.abort();
    },
  };
}
