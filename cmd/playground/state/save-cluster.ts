import { type Clock, isRecord, messageOf, stringifyExactJson, systemClock, type Timer } from "@csi-sidecars/base";
import type { ApiServer } from "@csi-sidecars/testcluster";
import { readSavedFile, writeAtomically } from "./saved-file.ts";

/** How far the file may lag behind. */
const pauseMs = 1_000;

/** Refuses a file that the embedded server could not load. */
export function checkClusterFile(file: string): void {
  readSavedFile(file, isSnapshot);
}

function isSnapshot(content: unknown): content is object {
  if (!isRecord(content) || typeof content.resourceVersion !== "number" || !isRecord(content.objects)) return false;
  return Object.values(content.objects).every((list) => Array.isArray(list) && list.every(isNamed));
}

const isNamed = (object: unknown) => isRecord(object) && isRecord(object.metadata) && typeof object.metadata.name === "string";

export interface Saving extends Disposable {
  /** Why the last save failed. */
  readonly problem: string | undefined;
}

/** Writes the server's objects to the file every second when they have changed, so that a killed playground loses a second at most. */
export function saveCluster(server: Pick<ApiServer, "snapshot">, file: string, clock: Clock = systemClock): Saving {
  let saved: number | undefined;
  let problem: string | undefined;
  let timer: Timer;
  const save = () => {
    try {
      const snapshot = server.snapshot();
      if (snapshot.resourceVersion !== saved) writeAtomically(file, stringifyExactJson(snapshot));
      saved = snapshot.resourceVersion;
      problem = undefined;
    } catch (error) {
      problem = `${file} cannot be written: ${messageOf(error)}`;
    }
    timer = clock.after(pauseMs, save);
  };
  save();
  return {
    get problem() {
      return problem;
    },
    [Symbol.dispose]: () => timer.cancel(),
  };
}
