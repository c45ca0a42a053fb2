import type { Frame } from "./draw.ts";

/** A terminal that is drawn over again and again; what was on it before comes back at the end. */
export interface Screen extends Disposable {
  readonly frame: Frame;
  /** Does nothing after the end: what a key began may fail later. */
  draw(lines: readonly string[]): void;
}

const enter = "\x1b[?1049h\x1b[?25l";
const leave = "\x1b[?25h\x1b[?1049l";
const toTop = "\x1b[H";
const clearLine = "\x1b[K";
const clearBelow = "\x1b[J";

/** Takes the terminal; `resized` is called when its frame has changed. */
export function openScreen(terminal: NodeJS.WriteStream, resized: () => void): Screen {
  terminal.write(enter);
  terminal.on("resize", resized);
  let ended = false;
  return {
    get frame() {
      return { columns: terminal.columns || 80, rows: terminal.rows || 24, color: true };
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
