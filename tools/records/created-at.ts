/** A time in seconds since 1970, as OCI and SPDX have it. */
export const createdAt = (seconds: number) => new Date(seconds * 1_000).toISOString().replace(".000Z", "Z");
