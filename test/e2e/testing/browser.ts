import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { until } from "./until.ts";

export interface Screen {
  readonly width: number;
  readonly height: number;
  /** As a phone shows pages: the width that they ask for counts. */
  readonly mobile: boolean;
}

/** A page that a browser shows. */
export interface BrowserPage extends AsyncDisposable {
  resize(screen: Screen): Promise<void>;
  /** The value of an expression in the page, as JSON. */
  evaluate(expression: string): Promise<unknown>;
}

const flags = [
  ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
  ...["--disable-component-update", "--disable-sync", "--remote-debugging-port=0"],
];

/** Opens a page in a headless Chromium that keeps its files in the folder, and asks it by the DevTools protocol. */
export async function openPage(chromium: string, url: string, folder: string): Promise<BrowserPage> {
  const browser = Bun.spawn([chromium, ...flags, `--user-data-dir=${folder}`, "about:blank"], { stdout: "ignore", stderr: "ignore" });
  const end = async () => {
    browser.kill();
    await browser.exited;
  };
  try {
    const [port = ""] = await until("the browser listens", async () => {
      const file = await readFile(join(folder, "DevToolsActivePort"), "utf8").catch(() => "");
      return file.includes("\n") && file.split("\n");
    });
    const opened = await fetch(`http://127.0.0.1:${port}/json/new?${url}`, { method: "PUT" });
    const { webSocketDebuggerUrl } = (await opened.json()) as { readonly webSocketDebuggerUrl: string };
    const send = await connect(webSocketDebuggerUrl);
    return {
      async resize(screen) {
        await send("Emulation.setDeviceMetricsOverride", { ...screen, deviceScaleFactor: 1 });
      },
      async evaluate(expression) {
        const { result, exceptionDetails } = await send("Runtime.evaluate", { expression, returnByValue: true });
        if (exceptionDetails) throw new Error(`${expression}: ${JSON.stringify(exceptionDetails)}`);
        return result?.value;
      },
      [Symbol.asyncDispose]: end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

interface Reply {
  readonly id?: number;
  readonly error?: { readonly message: string };
  readonly result?: { readonly result?: { readonly value?: unknown }; readonly exceptionDetails?: unknown };
}

/** Returns how to call a method of the DevTools protocol. */
async function connect(url: string) {
  const socket = new WebSocket(url);
  const waiting = new Map<number, PromiseWithResolvers<NonNullable<Reply["result"]>>>();
  socket.addEventListener("message", ({ data }) => {
    const { id = 0, error, result = {} }: Reply = JSON.parse(String(data));
    if (error) waiting.get(id)?.reject(new Error(error.message));
    else waiting.get(id)?.resolve(result);
  });
  socket.addEventListener("close", () => {
    for (const { reject } of waiting.values()) reject(new Error("the browser has ended"));
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", reject);
  });
  return (method: string, params: object) => {
    const id = waiting.size + 1;
    const reply = Promise.withResolvers<NonNullable<Reply["result"]>>();
    waiting.set(id, reply);
    socket.send(JSON.stringify({ id, method, params }));
    return reply.promise;
  };
}
