import { RunningProgram } from "../../running-program.ts";
import { binary } from "./binary.ts";
import { until } from "./until.ts";

/** A shipped program, running. */
export class SidecarProcess extends RunningProgram {
  readonly name: string;

  constructor(name: string, args: readonly string[], options: { program?: string; env?: Readonly<Record<string, string>> } = {}) {
    super(binary(options.program), args, {
      env: { PATH: process.env.PATH ?? "", POD_NAME: name, POD_NAMESPACE: "default", ...options.env },
    });
    this.name = name;
  }

  /** Waits until its output contains the text. */
  async logged(text: string, limitMs?: number): Promise<void> {
    await until(`${this.name} to log "${text}"`, () => this.output.includes(text), limitMs).catch((error) => {
      throw new Error(`${error.message}; it logged\n${this.output}`);
    });
  }

  /** Sends a GET to its HTTP server, at the address of a flag. */
  async get(path: string, flag = "http-endpoint"): Promise<readonly [status: number, body: string]> {
    const listening = () => new RegExp(`"HTTP server is listening" .*address="([^"]+)" flag="${flag}"`).exec(this.output)?.[1];
    const address = await until(`${this.name} to listen for --${flag}`, listening);
    const response = await fetch(`http://${address.replace(/^(0\.0\.0\.0|\[::\])?:/, "127.0.0.1:")}${path}`);
    return [response.status, await response.text()];
  }
}
