/** A volume's root by its GUID, in any of the forms that Windows uses for it. */
const volumeRoot = /^(?:\\\\\?\\|\\\?\?\\)?(Volume\{[\w-]*\})\\?$/i;

/** The volume id of a volume's root, as `\\?\Volume{guid}\`; `undefined` for any other path. */
export function volumeIdOf(path: string): string | undefined {
  const name = volumeRoot.exec(path)?.[1];
  return name === undefined ? undefined : `\\\\?\\${name}\\`;
}

/** Whether two ids name the same volume. Windows compares them without regard to case. */
export function isSameVolume(one: string, other: string): boolean {
  return canonical(one) === canonical(other);
}

/** The key under which calls for a volume exclude each other. */
export function volumeLockKey(volumeId: string): string {
  return `volume:${canonical(volumeId)}`;
}

function canonical(volumeId: string): string {
  return (volumeIdOf(volumeId) ?? volumeId).toLowerCase();
}
