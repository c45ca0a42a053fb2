/**
 * Measures every subject once per round. Each round starts with the next subject, so that neither other load on the machine nor a warm
 * server favours one of them.
 */
export async function inRotation<S extends { readonly name: string }, T>(
  subjects: readonly S[],
  what: string,
  rounds: number,
  measure: (subject: S) => Promise<T>,
): Promise<ReadonlyMap<S, readonly T[]>> {
  const samples = new Map(subjects.map((subject) => [subject, [] as T[]]));
  for (let round = 0; round < rounds; round++) {
    for (const subject of rotated(subjects, round)) {
      console.error(`${what}, ${round + 1} of ${rounds}: ${subject.name}`);
      samples.get(subject)?.push(await measure(subject));
    }
  }
  return samples;
}

/** The measurements of one subject. */
export function samplesOf<S, T>(samples: ReadonlyMap<S, readonly T[]>, subject: S): readonly T[] {
  return samples.get(subject) ?? [];
}

function rotated<S>(subjects: readonly S[], round: number): readonly S[] {
  const first = round % subjects.length;
  return [...subjects.slice(first), ...subjects.slice(0, first)];
}
