import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { git } from "../git.ts";

/** Tests with repositories are skipped where git is not installed. */
export const hasGit = spawnSync("git", ["--version"]).status === 0;

/** A git repository in a temporary folder, with commits whose authors and times are fixed. Disposing of it removes it. */
export class TempRepository implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "repository-"));

  constructor() {
    this.git("init", "--quiet", "--initial-branch=main");
    appendFileSync(
      join(this.folder, ".git/config"),
      "[user]\nname = Test\nemail = test@example.com\n[commit]\ngpgSign = false\n[tag]\ngpgSign = false\n",
    );
  }

  git(...args: readonly string[]): string {
    return git(this.folder, ...args).trim();
  }

  write(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) {
      const path = join(this.folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
  }

  /** Commits these files and returns the commit. */
  commit(message: string, files: Readonly<Record<string, string>> = {}, date = "2026-01-01T00:00:00Z"): string {
    this.write(files);
    this.git("add", "--all");
    return this.#recorded(date, "commit", "--quiet", "--allow-empty", "--message", message);
  }

  /** Merges a branch of one commit, as a pull request is merged. */
  mergePull(pull: number, title: string, files: Readonly<Record<string, string>>, date = "2026-01-01T00:00:00Z"): string {
    this.git("checkout", "--quiet", "-b", `pull-${pull}`);
    this.commit(title, files, date);
    this.git("checkout", "--quiet", "main");
    const message = `Merge pull request #${pull} from someone/pull-${pull}\n\n${title}`;
    return this.#recorded(date, "merge", "--quiet", "--no-ff", "--message", message, `pull-${pull}`);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true });
  }

  #recorded(date: string, ...args: readonly string[]): string {
    const env = { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
    const { status, stderr } = spawnSync("git", ["-C", this.folder, ...args], { encoding: "utf8", env });
    if (status !== 0) throw new Error(stderr);
    return this.git("rev-parse", "HEAD");
  }
}
