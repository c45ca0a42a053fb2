/** The word the user may have meant: the closest one, if it is close at all. */
export function suggest(word: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let distance = (word.length < 4 ? 1 : Math.max(2, Math.floor(word.length / 4))) + 1;
  for (const candidate of known) {
    const apart = editDistance(word, candidate, distance);
    if (apart < distance) [best, distance] = [candidate, apart];
  }
  return best;
}

/** How many letters have to be added, removed, replaced or swapped with their neighbour; `limit` when it is that many or more. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const line = [row];
    for (let column = 1; column <= b.length; column++) {
      const replace = (above[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      let min = Math.min(replace, (above[column] ?? 0) + 1, (line[column - 1] ?? 0) + 1);
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        min = Math.min(min, (before[column - 2] ?? 0) + 1);
      }
      line.push(min);
    }
    [before, above] = [above, line];
  }
  return Math.min(above[b.length] ?? limit, limit);
}
