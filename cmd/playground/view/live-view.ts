import { messageOf, systemClock, visible } from "@csi-sidecars/base";
import type { Playground } from "../playground.ts";
import { draw, type Frame } from "./draw-status.ts";
import { fold, foldCommand, foldNamed, helpPages } from "./fold-text.ts";
import type { Introduction } from "./introduction.ts";
import { helpKey, keyGroups, listenToKeys } from "./keys.ts";
import { statusReader } from "./read-status.ts";
import type { PlaygroundStatus } from "./status.ts";
import { changes } from "./status-changes.ts";

const redrawMs = 500;
/** With fewer rows left for the view, the brief introduction is shown. */
const rowsForView = 22;
/** How long the view shows what a key has done. */
const noticeMs = 15_000;

/** Reads the status every half second until the signal. `failed` gets the error of a failed read. */
async function watch(
  playground: Playground,
  signal: AbortSignal,
  { show, failed }: { readonly show: (status: PlaygroundStatus) => void; readonly failed: (error: unknown) => void },
): Promise<void> {
  const readStatus = statusReader(playground);
  while (!signal.aborted) {
    try {
      const status = await readStatus(systemClock.now());
      if (!signal.aborted) show(status);
    } catch (error) {
      if (!signal.aborted) failed(error);
    }
    await systemClock.sleep(redrawMs, signal).catch(() => {});
  }
}

export interface LiveView {
  readonly playground: Playground;
  readonly signal: AbortSignal;
  /** Kept above the view. */
  readonly introduction: Introduction;
  readonly keyboard?: Keyboard;
}

export interface Keyboard {
  readonly input: NodeJS.ReadStream;
  readonly stop: () => void;
}

/** The live view on a terminal, redrawn in place. */
export async function showOnScreen(
  { playground, signal, introduction, keyboard }: LiveView,
  terminal: NodeJS.WriteStream,
  color: boolean,
): Promise<void> {
  let last: PlaygroundStatus | undefined;
  /** Why the cluster cannot be read. */
  let problem = "";
  let notice = { text: "", until: 0 };
  /** The page of the help that is shown; 0 for none. */
  let page = 0;
  const folded = (lines: readonly string[], columns: number) =>
    lines.flatMap((line) => (introduction.commands.has(line) ? foldCommand(line, columns) : foldNamed(line, columns)));
  const hasRoomForAll = () => folded(introduction.full, screen.frame.columns).length + rowsForView <= screen.frame.rows;
  const pages = () => helpPages(folded(introduction.help, screen.frame.columns), screen.frame.rows, helpKey);
  const redraw = () => {
    if (!last) return;
    const { columns, rows } = screen.frame;
    const told = [problem, systemClock.monotonic() < notice.until ? notice.text : ""].filter((text) => text !== "");
    const help = page > 0 ? (pages()[page - 1] ?? []) : undefined;
    const above = [
      ...(help ?? folded(hasRoomForAll() ? introduction.full : introduction.brief, columns)),
      ...told.flatMap((text) => fold(visible(text), columns)),
      ...(told.length > 0 ? [""] : []),
    ];
    screen.draw([...above, ...draw(last, { columns, color, rows: rows - above.length })].slice(0, rows));
  };
  using screen = openScreen(terminal, redraw);
  /** In place of the help, whose pages leave it no room. */
  const tell = (text: string) => {
    page = 0;
    notice = { text, until: systemClock.monotonic() + noticeMs };
    redraw();
  };
  const help = () => {
    page = page < pages().length && !hasRoomForAll() ? page + 1 : 0;
    redraw();
  };
  const failed = (error: unknown) => tell(messageOf(error));
  if (keyboard) listenToKeys(keyboard.input, signal, { groups: keyGroups(playground), stop: keyboard.stop, help, did: tell, failed });
  await watch(playground, signal, {
    show(status) {
      last = status;
      problem = "";
      redraw();
    },
    failed(error) {
      problem = `cannot read the cluster: ${messageOf(error)}`;
      redraw();
    },
  });
}

/** One line for each change, for outputs that are not terminals. */
export async function printChanges({ playground, signal, introduction, keyboard }: LiveView, print: (line: string) => void): Promise<void> {
  for (const line of introduction.full) print(line);
  const timed = (line: string, at: number) => print(`${new Date(at).toISOString().slice(11, 19)} ${line}`);
  if (keyboard) {
    const tell = (text: string) => timed(text, systemClock.now());
    const help = () => {
      for (const line of introduction.keys) print(line);
    };
    const failed = (error: unknown) => tell(messageOf(error));
    listenToKeys(keyboard.input, signal, { groups: keyGroups(playground), stop: keyboard.stop, help, did: tell, failed });
  }
  let before: PlaygroundStatus | undefined;
  let problem: string | undefined;
  await watch(playground, signal, {
    show(status) {
      for (const line of changes(before, status)) timed(line, status.at);
      before = status;
      problem = undefined;
    },
    failed(error) {
      if (messageOf(error) !== problem) timed(`cannot read the cluster: ${messageOf(error)}`, systemClock.now());
      problem = messageOf(error);
    },
  });
}

/** A terminal that is redrawn in place. Its former content is restored at the end. */
interface Screen extends Disposable {
  readonly frame: Omit<Frame, "color">;
  /** Does nothing after the end: the action of a key may fail later. */
  draw(lines: readonly string[]): void;
}

const enter = "\x1b[?1049h\x1b[?25l";
const leave = "\x1b[?25h\x1b[?1049l";
const toTop = "\x1b[H";
const clearLine = "\x1b[K";
const clearBelow = "\x1b[J";

/** Switches to the alternate screen. `resized` is called when the terminal changes its size. */
function openScreen(terminal: NodeJS.WriteStream, resized: () => void): Screen {
  terminal.write(enter);
  terminal.on("resize", resized);
  let ended = false;
  return {
    get frame() {
      return { columns: terminal.columns || 80, rows: terminal.rows || 24 };
    },
    draw(lines) {
      if (!ended) terminal.write(`${toTop}${lines.map((line) => `${line}${clearLine}`).join("\r\n")}${clearBelow}`);
    },
    [Symbol.dispose]() {
      ended = true;
      terminal.off("resize", resized);
      terminal.write(leave);
    },
  };
}
