import { silentLogger, systemClock } from "@csi-sidecars/base";
import { type Client, InformerFactory } from "@csi-sidecars/kube";

/** How many objects of each sort there are, as everybody else can see them. */
export interface Following<Counts> extends AsyncDisposable {
  readonly counts: Counts;
  /** Resolves when the counts are as wanted; `check` is called now and then and may throw. */
  until(is: (counts: Counts) => boolean, check: () => void): Promise<void>;
}

/** What {@link countOf} needs of a view. */
interface Watched<T> {
  addHandler(handler: { onAdd(object: T): void; onUpdate(old: T, object: T): void; onDelete(object: T): void }): unknown;
}

/** Counts the objects of a view that are `counted`; an object that was counted is so until it is deleted. */
export type CountOf = <T extends { readonly metadata: { readonly name: string } }>(
  view: Watched<T>,
  counted: (object: T) => boolean,
) => () => number;

const patienceMs = 20 * 60_000;

/** Follows what `open` counts. */
export async function follow<Counts>(
  client: Client,
  open: (factory: InformerFactory, countOf: CountOf) => () => Counts,
): Promise<Following<Counts>> {
  const stop = new AbortController();
  const factory = new InformerFactory({ client, clock: systemClock, log: silentLogger });
  const waiting = new Set<() => void>();
  const news = () => {
    for (const look of waiting) look();
  };
  const counts = open(factory, (view, counted) => {
    const names = new Set<string>();
    const note = (object: Parameters<typeof counted>[0]) => {
      if (counted(object)) names.add(object.metadata.name);
      news();
    };
    view.addHandler({
      onAdd: note,
      onUpdate: (_, object) => note(object),
      onDelete({ metadata: { name } }) {
        names.delete(name);
        news();
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
