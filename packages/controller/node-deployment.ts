/** What the environment lacks of a process that serves only its own node (`--node-deployment`). */
export function missingNodeEnvironment(
  { nodeDeployment }: { readonly nodeDeployment: boolean },
  { env, flagName }: { readonly env: Readonly<Record<string, string | undefined>>; flagName(flag: string): string },
): readonly string[] {
  if (!nodeDeployment || env.NODE_NAME) return [];
  return [`The NODE_NAME environment variable must be set when using --${flagName("node-deployment")}`];
}
