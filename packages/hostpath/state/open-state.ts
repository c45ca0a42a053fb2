import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "@csi-sidecars/base";
import { encodeCheckpoint, readCheckpoint } from "./checkpoint.ts";
import { type AppendFile, replaceFile, syncDirectory } from "./durable-file.ts";
import { Journal } from "./journal.ts";
import type { StateOwner } from "./record-format.ts";
import type { Change } from "./records.ts";
import { State } from "./state.ts";

/** Which state is opened. */
export interface OpenStateOptions extends StateOwner {
  readonly log: Logger;
  readonly openFile?: (path: string) => Promise<AppendFile>;
}

/** A checkpoint is written when the journal has more lines than this and than there are records, so that the cost per change stays constant. */
const leastLines = 1_000;

/**
 * Opens the state below a directory: `state.json` holds everything at the last checkpoint, `state.journal` what came after it.
 * A crash between writing a checkpoint and clearing the journal does no harm: each line holds the whole new record, so that
 * replaying the journal ends in the same state.
 */
export async function openState({ log, openFile, ...owner }: OpenStateOptions): Promise<State> {
  const { stateDir } = owner;
  await mkdir(stateDir, { recursive: true, mode: 0o750 });
  const checkpointFile = join(stateDir, "state.json");
  await rm(`${checkpointFile}.tmp`, { force: true });
  const checkpoint = await readCheckpoint(checkpointFile, owner);
  const { journal, commits } = await Journal.open(join(stateDir, "state.journal"), owner, log, openFile);
  // The journal may be new: make its directory entry durable too.
  await syncDirectory(stateDir);
  let enough = leastLines;
  const state = new State(
    {
      append: (changes) => journal.append(changes),
      async checkpoint(known, force) {
        if (journal.lines === 0 || (!force && journal.lines < Math.max(enough, known.size))) return;
        // On a full disk, do not retry with every commit.
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
