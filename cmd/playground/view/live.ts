import { messageOf, systemClock } from "@csi-sidecars/base";
import type { Parts } from "../start-parts.ts";
import { changes } from "./changes.ts";
import { draw } from "./draw.ts";
import { fold, foldCommand } from "./fold.ts";
import { helpPages } from "./help-pages.ts";
import type { Introduction } from "./introduction.ts";
import { keyActions, listenToKeys, moreKey } from "./keys.ts";
import type { Picture } from "./picture.ts";
import { openScreen } from "./screen.ts";
import { camera } from "./take-picture.ts";

const redrawMs = 500;
/** With fewer rows the introduction makes room for the view. */
const rowsForAll = 40;

/** A picture every half second, until the signal; `failed` is told why there is none. */
async function watch(
  parts: Parts,
  signal: AbortSignal,
  { show, failed }: { readonly show: (picture: Picture) => void; readonly failed: (error: unknown) => void },
): Promise<void> {
  const takePicture = camera(parts);
  while (!signal.aborted) {
    try {
      const picture = await takePicture(systemClock.now());
      if (!signal.aborted) show(picture);
    } catch (error) {
      if (!signal.aborted) failed(error);
    }
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
  let last: Picture | undefined;
  let problem = "";
  /** Of the help; 0 is none. */
  let page = 0;
  const folded = (lines: readonly string[], columns: number) =>
    lines.flatMap((line) => (introduction.commands.has(line) ? foldCommand(line, columns) : fold(line, columns)));
  const pages = () => helpPages(folded(introduction.full, screen.frame.columns), screen.frame.rows, moreKey);
  const redraw = () => {
    if (!last) return;
    const { columns, rows, color } = screen.frame;
    const help = page > 0 ? (pages()[page - 1] ?? []) : undefined;
    const above = [
      ...(help ?? folded(rows < rowsForAll ? introduction.brief : introduction.full, columns)),
      ...(problem ? [...fold(problem, columns), ""] : []),
    ];
    screen.draw([...above, ...draw(last, { columns, color, rows: rows - above.length })].slice(0, rows));
  };
  using screen = openScreen(terminal, redraw);
  const failed = (error: unknown) => {
    problem = messageOf(error);
    redraw();
  };
  const showMore = async () => {
    page = page < pages().length && screen.frame.rows < rowsForAll ? page + 1 : 0;
    redraw();
  };
  const actions = [...keyActions(parts), { key: moreKey, help: "help", act: showMore }];
  if (keyboard) listenToKeys(keyboard.input, signal, { actions, stop: keyboard.stop, failed });
  await watch(parts, signal, {
    show(picture) {
      last = picture;
      redraw();
    },
    failed,
  });
}

/** A line for each change, for everything that is not a terminal. */
export async function tellChanges({ parts, signal, introduction }: LiveView, tell: (line: string) => void): Promise<void> {
  for (const line of introduction.full) tell(line);
  const timed = (line: string, at: number) => tell(`${new Date(at).toISOString().slice(11, 19)} ${line}`);
  let before: Picture | undefined;
  let problem: string | undefined;
  await watch(parts, signal, {
    show(picture) {
      for (const line of changes(before, picture)) timed(line, picture.at);
      before = picture;
      problem = undefined;
    },
    failed(error) {
      if (messageOf(error) !== problem) timed(`no picture: ${messageOf(error)}`, systemClock.now());
      problem = messageOf(error);
    },
  });
}
