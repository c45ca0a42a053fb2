/**
 * Measures every subject so many times. Subjects take turns, and each round begins with the next one: neither a change of the machine's mood
 * nor a server that has warmed up is one subject's alone.
 */
export async function inTurns<S extends { readonly name: string }, T>(
  subjects: readonly S[],
  what: string,
  rounds: number,
  measure: (subject: S) => Promise<T>,
): Promise<ReadonlyMap<S, readonly T[]>> {
  const samples = new Map(subjects.map((subject) => [subject, [] as T[]]));
  for (let round = 0; round < rounds; round++) {
    for (const subject of turnOf(subjects, round)) {
      console.error(`${what}, ${round + 1} of ${rounds}: ${subject.name}`);
      samples.get(subject)?.push(await measure(subject));
    }
  }
  return samples;
}

function turnOf<S>(subjects: readonly S[], round: number): readonly S[] {
  const first = round % subjects.length;
  return [...subjects.slice(first), ...subjects.slice(0, first)];
}
