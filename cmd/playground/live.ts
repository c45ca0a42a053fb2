import { systemClock } from "@csi-sidecars/base";
import { changes } from "./changes.ts";
import type { Introduction } from "./introduction.ts";
import { listenToKeys } from "./keys.ts";
import type { Picture } from "./picture.ts";
import { openScreen } from "./screen.ts";
import type { Parts } from "./start-parts.ts";
import { takePicture } from "./take-picture.ts";
import { draw } from "./view.ts";

const redrawMs = 500;
/** With fewer rows the introduction makes room for the view. */
const rowsForAll = 36;

/** A picture every half second, until the signal. */
async function watch(parts: Parts, signal: AbortSignal, show: (picture: Picture) => void): Promise<void> {
  while (!signal.aborted) {
    const picture = await takePicture(parts, systemClock.now());
    if (!signal.aborted) show(picture);
    await systemClock.sleep(redrawMs, signal).catch(() => {});
  }
}

export interface LiveView {
  readonly parts: Parts;
  readonly signal: AbortSignal;
  /** Kept above the view. */
  readonly introduction: Introduction;
}

/** The view in place, on a terminal. */
export async function showOnScreen(
  { parts, signal, introduction }: LiveView,
  terminal: NodeJS.WriteStream,
  keyboard: { readonly input: NodeJS.ReadStream; readonly stop: () => void } | undefined,
): Promise<void> {
  using screen = openScreen(terminal);
  let problem = "";
  const failed = (error: unknown) => {
    problem = error instanceof Error ? error.message : String(error);
  };
  if (keyboard) listenToKeys(keyboard.input, parts, signal, { stop: keyboard.stop, failed });
  await watch(parts, signal, (picture) => {
    const { columns, rows, color } = screen.frame;
    const above = [...(rows < rowsForAll ? introduction.brief : introduction.full), ...(problem ? [problem, ""] : [])].map((line) =>
      line.slice(0, columns),
    );
    screen.draw([...above, ...draw(picture, { columns, color, rows: rows - above.length })].slice(0, rows));
  });
}

/** A line for each change, for everything that is not a terminal. */
export async function tellChanges({ parts, signal, introduction }: LiveView, tell: (line: string) => void): Promise<void> {
  for (const line of introduction.full) tell(line);
  let before: Picture | undefined;
  await watch(parts, signal, (picture) => {
    const time = new Date(picture.at).toISOString().slice(11, 19);
    for (const line of changes(before, picture)) tell(`${time} ${line}`);
    before = picture;
  });
}
