const separator = "_csi-sidecars_";

/**
 * The holder that is written into a legacy lease while it is seized: `<pod>_csi-sidecars_<consolidated lease>_<random>`. Never the bare
 * host name: a legacy container of the same pod has that one, and would look like ourselves.
 */
export function migrationIdentity(identity: string, consolidatedLease: string, random: () => number): string {
  return `${identity}${separator}${consolidatedLease}_${Math.floor(random() * 2 ** 40).toString(36)}`;
}

/**
 * Whether a holder is a candidate for this consolidated lease. Whoever leads may take over what such a candidate has seized: it does not
 * lead any more, and cannot mark the consolidated lease.
 */
export function isMigrationIdentity(holder: string, consolidatedLease: string): boolean {
  const end = holder.lastIndexOf("_");
  return end >= 0 && holder.slice(0, end).endsWith(`${separator}${consolidatedLease}`);
}
