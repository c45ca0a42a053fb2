import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "@csi-sidecars/base";
import { encodeCheckpoint, readCheckpoint } from "./checkpoint.ts";
import { type AppendFile, replaceFile, syncDirectory } from "./durable-file.ts";
import { Journal } from "./journal.ts";
import type { Home } from "./record-format.ts";
import type { Change } from "./records.ts";
import { State } from "./state.ts";

/** Where a state is, and whose. */
export interface OpenStateOptions extends Home {
  readonly log: Logger;
  readonly openFile?: (path: string) => Promise<AppendFile>;
}

/** A checkpoint is written when the journal has more lines than this and than there are records: its cost stays constant per change. */
const leastLines = 1_000;

/**
 * Opens the state below a directory: `state.json` holds everything at the last checkpoint, `state.journal` what came after it.
 * A checkpoint that was written while the journal was not yet cleared is no harm: each line says how a record is afterwards,
 * so that reading the journal again ends in the same state.
 */
export async function openState({ log, openFile, ...home }: OpenStateOptions): Promise<State> {
  const { stateDir } = home;
  await mkdir(stateDir, { recursive: true, mode: 0o750 });
  const checkpointFile = join(stateDir, "state.json");
  await rm(`${checkpointFile}.tmp`, { force: true });
  const checkpoint = await readCheckpoint(checkpointFile, home);
  const { journal, commits } = await Journal.open(join(stateDir, "state.journal"), home, log, openFile);
  // The journal may be new: its content is worth nothing when its name is lost.
  await syncDirectory(stateDir);
  let enough = leastLines;
  const state = new State(
    {
      append: (changes) => journal.append(changes),
      async tidy(known, force) {
        if (journal.lines === 0 || (!force && journal.lines < Math.max(enough, known.size))) return;
        // A full disk is not asked again with each commit.
        enough = journal.lines + leastLines;
        await replaceFile(checkpointFile, encodeCheckpoint(known.everything()), 0o600);
        await journal.clear();
        enough = leastLines;
      },
      close: () => journal.close(),
    },
    log,
  );
  state.restore(putAll(checkpoint));
  state.restore(commits.flat());
  return state;
}

function putAll({ volumes, snapshots, groups }: Awaited<ReturnType<typeof readCheckpoint>>): Change[] {
  return [
    ...volumes.map((record): Change => ({ put: "volume", record })),
    ...snapshots.map((record): Change => ({ put: "snapshot", record })),
    ...groups.map((record): Change => ({ put: "group", record })),
  ];
}
