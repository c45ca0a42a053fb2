import { refuse } from "./refuse.ts";

/** The secrets that calls must bring, by RPC name. */
export type SecretRules = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Refuses a call whose secrets are missing or wrong. Messages never contain a secret. */
export function checkSecrets(rules: SecretRules, method: string, request: object): void {
  const expected = rules[method];
  if (!expected) return;
  const given: Readonly<Record<string, string>> = "secrets" in request ? (request.secrets as Record<string, string>) : {};
  if (Object.keys(given).length === 0) refuse("InvalidArgument", "secret must be provided");
  if (Object.entries(expected).some(([key, value]) => given[key] !== value)) refuse("Unauthenticated", "authentication failed");
}
