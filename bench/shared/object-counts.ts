import { silentLogger, systemClock } from "@csi-sidecars/base";
import { type Client, InformerFactory } from "@csi-sidecars/kube";

/** How many objects there are of each kind, as a watch of the API server shows them. */
export interface ObjectCounts<Counts> extends AsyncDisposable {
  readonly counts: Counts;
  /** Resolves when `is` holds. `check` is called every second and may throw. */
  until(is: (counts: Counts) => boolean, check: () => void): Promise<void>;
}

/** What {@link countOf} needs of a view. */
interface Watched<T> {
  addHandler(handler: { onAdd(object: T): void; onUpdate(old: T, object: T): void; onDelete(object: T): void }): unknown;
}

/** Counts the objects of a view that are `counted`; once counted, an object stays so until it is deleted. */
export type CountOf = <T extends { readonly metadata: { readonly name: string } }>(
  view: Watched<T>,
  counted: (object: T) => boolean,
) => () => number;

const timeoutMs = 20 * 60_000;

/** Opens informers and keeps the counts that `open` declares. */
export async function countObjects<Counts>(
  client: Client,
  open: (factory: InformerFactory, countOf: CountOf) => () => Counts,
): Promise<ObjectCounts<Counts>> {
  const stop = new AbortController();
  const factory = new InformerFactory({ client, clock: systemClock, log: silentLogger });
  const waiting = new Set<() => void>();
  const changed = () => {
    for (const look of waiting) look();
  };
  const counts = open(factory, (view, counted) => {
    const names = new Set<string>();
    const note = (object: Parameters<typeof counted>[0]) => {
      if (counted(object)) names.add(object.metadata.name);
      changed();
    };
    view.addHandler({
      onAdd: note,
      onUpdate: (_, object) => note(object),
      onDelete({ metadata: { name } }) {
        names.delete(name);
        changed();
      },
    });
    return () => names.size;
  });
  factory.start(stop.signal);
  await factory.waitForSync();
  return {
    get counts() {
      return counts();
    },
    until: (is, check) =>
      new Promise((resolve, reject) => {
        const deadline = Date.now() + timeoutMs;
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
