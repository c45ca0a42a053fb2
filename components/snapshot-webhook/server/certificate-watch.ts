import { type FSWatcher, watch } from "node:fs";
import { dirname } from "node:path";
import { type Clock, type Logger, messageOf, type Timer } from "@csi-sidecars/base";
import { type CertificateFiles, type CertificatePair, checkPair, readPair } from "./certificate-pair.ts";

export interface CertificateWatchOptions {
  readonly files: CertificateFiles;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Several events belong to one change. */
const settleMs = 25;
/** Events are lost where a folder is replaced, or is on a file system that sends none. */
const pollMs = 2_000;

/**
 * The certificate of a server and its key, and what becomes of them. Both are read again whenever something in their folders changes: in
 * a mounted Secret that is a link beside them. A pair that cannot be used is reported once, and the one in use stays.
 */
export class CertificateWatch implements Disposable {
  readonly #options: CertificateWatchOptions;
  readonly #watchers: FSWatcher[] = [];
  readonly #onChange: (pair: CertificatePair) => void;
  #current: CertificatePair;
  /** What was last read or why not: the same is not looked at again. */
  #seen: string;
  #settling: Timer | undefined;
  #polling: Timer | undefined;

  /** Throws where the pair cannot be used from the start. */
  constructor(options: CertificateWatchOptions, onChange: (pair: CertificatePair) => void) {
    this.#options = options;
    this.#onChange = onChange;
    this.#current = readPair(options.files);
    this.#seen = contentOf(this.#current);
    checkPair(this.#current);
    const { certFile, keyFile } = options.files;
    for (const folder of new Set([dirname(certFile), dirname(keyFile)])) this.#watch(folder);
    this.#poll();
  }

  /** The newest pair that can be used. */
  get current(): CertificatePair {
    return this.#current;
  }

  #watch(folder: string): void {
    const failed = (error: unknown) => {
      this.#options.log.v(2).info("Certificates are looked at every two seconds", { folder, err: messageOf(error) });
    };
    try {
      const watcher = watch(folder, { persistent: false }, () => {
        this.#settling ??= this.#options.clock.after(settleMs, () => {
          this.#settling = undefined;
          this.#look();
        });
      });
      watcher.on("error", failed);
      this.#watchers.push(watcher);
    } catch (error) {
      failed(error);
    }
  }

  #poll(): void {
    this.#polling = this.#options.clock.after(pollMs, () => {
      this.#look();
      this.#poll();
    });
  }

  #look(): void {
    const { files, log } = this.#options;
    let seen = "";
    try {
      const pair = readPair(files);
      seen = contentOf(pair);
      if (seen === this.#seen) return;
      const { subject, validTo } = checkPair(pair);
      this.#onChange(pair);
      this.#current = pair;
      log.info("Updated current TLS certificate", { subject, validTo });
    } catch (error) {
      seen ||= messageOf(error);
      if (seen !== this.#seen) log.error(error, "Failed to read the TLS certificate again, the one in use stays");
    }
    this.#seen = seen;
  }

  [Symbol.dispose](): void {
    this.#settling?.cancel();
    this.#polling?.cancel();
    for (const watcher of this.#watchers) watcher.close();
  }
}

const contentOf = ({ cert, key }: CertificatePair) => `${cert}\0${key}`;
