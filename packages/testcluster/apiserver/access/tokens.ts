import type { User } from "../../rules/rbac/authorize.ts";

interface Known {
  readonly user: User;
  /** Milliseconds since the epoch; never unless given. */
  readonly expiresAt: number | undefined;
}

/** The bearer tokens that the server accepts. */
export class Tokens {
  readonly #known = new Map<string, Known>();

  add(token: string, user: User, expiresAt?: number): void {
    this.#known.set(token, { user, expiresAt });
  }

  /** Whose token it is; `undefined` for one that is unknown or has expired. */
  userOf(token: string, now: number): User | undefined {
    const known = this.#known.get(token);
    if (!known || known.expiresAt === undefined || now < known.expiresAt) return known?.user;
    this.#known.delete(token);
    return undefined;
  }
}
