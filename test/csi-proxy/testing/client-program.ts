import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createInterface } from "node:readline";
import type { RunningProgram } from "../../running-program.ts";

/** A line to a client program. Messages are base64. */
export interface Call {
  readonly id: number;
  /** The path of a named pipe or a unix socket. */
  readonly endpoint: string;
  /** `/v1.Disk/Rescan` */
  readonly method: string;
  readonly request: string;
  readonly timeoutMs: number;
}

/** A line from it: the status of a call, and what was answered. */
export interface Answer {
  readonly id: number;
  readonly code: number;
  readonly message: string;
  readonly response: string | null;
}

/** How a call ended. */
export interface CallResult {
  readonly code: number;
  readonly message: string;
  readonly response: Buffer;
}

/** A client in a process of its own, perhaps in another language, which calls what the test asks for. It ends with the test. */
export class ClientProgram implements AsyncDisposable {
  readonly #process: RunningProgram;
  readonly #server: Server;
  readonly #socket: Socket;
  readonly #pending = new Map<number, (answer: Answer) => void>();
  #calls = 0;

  private constructor(process: RunningProgram, server: Server, socket: Socket) {
    this.#process = process;
    this.#server = server;
    this.#socket = socket;
    createInterface({ input: socket.on("error", () => {}) }).on("line", (line) => this.#receive(JSON.parse(line)));
  }

  /** Starts it with the address at which the test listens for it as its last argument. */
  static async start(start: (address: string) => RunningProgram): Promise<ClientProgram> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const process = start(`127.0.0.1:${(server.address() as AddressInfo).port}`);
    const connected = once(server, "connection").then(([socket]) => socket as Socket);
    const ended = process.exit().then((code) => {
      throw new Error(`the client ended with code ${code}:\n${process.output}`);
    });
    return new ClientProgram(process, server, await Promise.race([connected, ended]));
  }

  async call(endpoint: string, method: string, request: Uint8Array, timeoutMs = 20_000): Promise<CallResult> {
    const id = ++this.#calls;
    const answered = Promise.withResolvers<Answer>();
    this.#pending.set(id, answered.resolve);
    const call: Call = { id, endpoint, method, request: Buffer.from(request).toString("base64"), timeoutMs };
    this.#socket.write(`${JSON.stringify(call)}\n`);
    const { code, message, response } = await answered.promise;
    return { code, message, response: Buffer.from(response ?? "", "base64") };
  }

  #receive(answer: Answer): void {
    this.#pending.get(answer.id)?.(answer);
    this.#pending.delete(answer.id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.destroy();
    this.#server.close();
    await this.#process[Symbol.asyncDispose]();
  }
}
